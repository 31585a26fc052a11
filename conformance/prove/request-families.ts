// Faults in the acceptance of requests: the deployment carries out a wrong request as if it were right. On its way in, the request would
// become the accepted one, whose answer the run has recorded: this answer replaces that to the wrong request.
import type { SchemaNode, Shape } from '@lockstep/values/shape';
import { accessCheck } from '../checks/access.ts';
import { inputCheck } from '../checks/invalid-input.ts';
import { isJson, type Operation, type Parameter } from '../contract/contract.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import { closedOf } from '../phases/access-probe.ts';
import { mayAskTwice } from '../phases/negative.ts';
import { type CanonicalForm, requestForm } from '../schema/canonical.ts';
import { answeredBy, excludeLateRejection, type Family, refuseWrongRequests } from './family.ts';

/** The role of the wrong request in its probe, and that of the same request again, which a probe sends if the first is accepted. */
const [caseRole, repeatRole] = ['case', 'repeat'];

/** Answers the wrong request of a probe as the accepted request was answered, and its repeat too. */
function asAccepted(
  check: string,
  isMeant: (exchange: NumberedExchange) => boolean,
  describe: (exchange: NumberedExchange) => string,
): Pick<Family, 'inject' | 'needsAccepted'> {
  const inject: Family['inject'] = ({ trace, operation, accepted }) => {
    const answer = accepted?.outcome;
    const wrong = trace.find(
      (one) =>
        one.operation === operation &&
        one.intent.probe?.checks.includes(check) === true &&
        one.intent.probe.role === caseRole &&
        !one.isPause &&
        one.isAlone !== true,
    );
    const probe = wrong?.intent.probe;
    if (answer?.kind !== 'answer' || answer.status === 202 || wrong === undefined || probe === undefined)
      return undefined;
    if (!isMeant(wrong)) return undefined;
    const taken = answeredBy(wrong, answer);
    const others = trace.filter((one) => one !== wrong && one.intent.probe?.role !== repeatRole);
    const again = { ...taken, intent: { ...wrong.intent, probe: { ...probe, role: repeatRole } } };
    return { what: describe(wrong), changed: [...others, taken, again], unchanged: trace };
  };
  return { inject, needsAccepted: true };
}

/** By itself, a format is an annotation (JSON Schema 2020-12, validation, 7.2.1). */
function isConclusive({ intent }: NumberedExchange): boolean {
  return intent.place?.keyword !== 'format';
}

/** Whether a node of a request constrains a value that is sent as text. */
function constrainsText(form: CanonicalForm, node: SchemaNode, isPath: boolean): boolean {
  const { types, values, patterns, minLength, maxLength, ...shape } = form.common(node);
  if (values !== undefined || patterns.size > 0 || maxLength < Number.POSITIVE_INFINITY) return true;
  // A segment of a path is never empty.
  if (minLength > (isPath ? 1 : 0)) return true;
  if (types.has('string')) return false;
  const isBound = shape.isUnique || shape.minItems > 1 || shape.maxItems < Number.POSITIVE_INFINITY;
  return !types.has('array') || isBound || constrainsText(form, form.item(form.common(node), 0), false);
}

function isConstrained({ schema, mediaType, in: where }: Parameter, form: CanonicalForm): boolean {
  if (schema === undefined) return false;
  return mediaType !== undefined || constrainsText(form, form.at(schema), where === 'path');
}

/** Whether a part of the content is constrained in a way. */
function contentHas(operation: Operation, form: CanonicalForm, isMeant: (shape: Shape) => boolean): boolean {
  const seen = new Set<SchemaNode>();
  const waiting = (operation.body?.contents ?? []).flatMap(({ schema }) =>
    schema === undefined ? [] : [form.at(schema)],
  );
  for (const node of waiting) {
    if (seen.has(node)) continue;
    seen.add(node);
    const shape = form.common(node);
    if (shape.isLeftOut) continue;
    if (isMeant(shape)) return true;
    for (const name of shape.properties.keys()) waiting.push(form.property(shape, name));
    if (shape.lists.length > 0) waiting.push(form.item(shape, 0));
  }
  return false;
}

/** Whether a value of the content may be invalid. Members of forms are texts. */
function mayBeInvalid({ body }: Operation, form: CanonicalForm): boolean {
  return (body?.contents ?? []).some(({ mediaType, schema }) => {
    if (schema === undefined) return false;
    const node = form.at(schema);
    if (isJson(mediaType)) return form.shapes(node).every(({ types }) => types.size < everyType);
    return form
      .shapes(node)
      .some((shape) =>
        [...shape.properties.keys()].some((name) => constrainsText(form, form.property(shape, name), false)),
      );
  });
}

/** All types of JSON. */
const everyType = 6;

function excludeInput(
  hasConstraint: (operation: Operation, form: CanonicalForm) => boolean,
  reason: string,
): Family['excludes'] {
  return (operation, contract, permissions) => {
    const wrong = refuseWrongRequests(contract, operation) ?? excludeLateRejection(operation);
    if (wrong !== undefined) return wrong;
    if (!mayAskTwice(contract, operation, permissions))
      return 'its effect may not occur twice, and one accepted request is inconclusive';
    if (operation.parameters.length === 0 && operation.body === undefined) return 'it has no input';
    return hasConstraint(operation, requestForm(contract)) ? undefined : reason;
  };
}

export const requestFamilies: readonly Family[] = [
  {
    name: 'invalid',
    about: 'an invalid value is repaired, and the request accepted',
    check: inputCheck.invalid,
    excludes: excludeInput(
      (operation, form) =>
        operation.parameters.some((parameter) => isConstrained(parameter, form)) || mayBeInvalid(operation, form),
      'any text is a valid value of its parameters',
    ),
    ...asAccepted(inputCheck.invalid, isConclusive, ({ intent }) => `accepted: ${intent.probe?.name}`),
  },
  {
    name: 'missing',
    about: 'a required part is filled in, and the request accepted',
    check: inputCheck.required,
    excludes: excludeInput(
      (operation, form) =>
        operation.parameters.some((one) => one.required && one.in !== 'path') ||
        operation.body?.required === true ||
        contentHas(operation, form, ({ required }) => required.size > 0),
      'it requires no part that a request can lack',
    ),
    ...asAccepted(inputCheck.required, isConclusive, ({ intent }) => `accepted: ${intent.probe?.name}`),
  },
  {
    name: 'anonymous',
    about: 'credentials are added to a request without any, and the request accepted',
    check: accessCheck.missing,
    excludes: (operation, contract) => {
      const closed = closedOf(operation);
      if (closed.length === 0) return 'it needs no credentials';
      if (closed.length < operation.security.length) return 'its credentials are optional';
      if (operation.method === 'options') return 'browsers send OPTIONS without credentials';
      const isCertified = closed.every((one) =>
        Object.keys(one).some((name) => contract.schemes[name]?.type === 'mutualTLS'),
      );
      if (isCertified) return 'a client certificate identifies every request';
      return refuseWrongRequests(contract, operation) ?? excludeLateRejection(operation);
    },
    ...asAccepted(
      accessCheck.missing,
      ({ intent }) => intent.identity === 'anonymous',
      () => 'accepted without credentials',
    ),
  },
];
