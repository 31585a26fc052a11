import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ContractDocument, isObject } from '@lockstep/json/json-pointer';
import type { Exchange } from '@lockstep/runtime/exchange';
import { readRequestId, readTarget } from '@lockstep/runtime/http-message';
import type { Operation } from '@lockstep/runtime/operation';
import type { Detail } from '@lockstep/runtime/validation/detail';
import type { Logger } from 'pino';
import { chooseExample } from '../choose-example.ts';
import type { Mock, MockedService } from '../create-mock.ts';
import type { Controlled } from './answer-control.ts';
import type { Fault } from './faults.ts';
import type { JournalEntry } from './journal.ts';
import { breakBody, dropAnswer, dropConnection, observeError, waitWhileThere } from './meet-fault.ts';

export interface FrontOptions<Context extends Exchange<object>> {
  readonly contract: ContractDocument;
  readonly logger: Logger;
  /** Faults and journal for a request. */
  readonly of: (request: IncomingMessage) => Pick<Controlled, 'faults' | 'journal'>;
  /** Answers requests that are not for the API: the control, the start page. @returns whether the request was one */
  readonly answersOther?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Changes a request before the mock gets it. */
  readonly prepare?: (request: IncomingMessage, operation: Operation | undefined) => void;
  /** Allows pages of other origins. */
  readonly letIn?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Whether the mock reports no answer of this path, so that its body has the error. */
  readonly isObserved?: (path: string) => boolean;
  readonly callerOf?: (principal: NonNullable<Context['principal']>) => Caller;
  /** Drops the connections of delayed requests. */
  readonly closing: AbortSignal;
  /** Creates the mock. It reports each answer, so that the journal has its error. */
  readonly mock: (observers: Observers<Context>) => Mock;
}

type Observers<Context extends Exchange<object>> = Required<Pick<MockedService<Context>, 'answered' | 'preferred'>>;

interface Caller {
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
}

/** Data about a request for the journal. */
interface Note {
  readonly operation: Operation | undefined;
  readonly fault: Fault | undefined;
  caller?: Caller;
  /** The request got the documented answer that it preferred. */
  isPreferred?: true;
  code?: string;
  says?: string;
  details?: readonly Detail[];
}

/**
 * Handles requests before the mock does: control, CORS for pages of any origin, faults, journal. As in a network, a request triggers a fault before its
 * credentials are checked.
 */
export function createFront<Context extends Exchange<object>>(options: FrontOptions<Context>): RequestListener {
  const { contract, of, answersOther, prepare, isObserved, callerOf, logger, closing } = options;
  const { letIn = (_request, _response, next) => next() } = options;
  const notes = new WeakMap<IncomingMessage, Note>();
  const mock = options.mock({
    preferred: ({ request }) => {
      const note = notes.get(request);
      if (note !== undefined) note.isPreferred = true;
    },
    answered: ({ request, principal }, { status, body, rejection }) => {
      const note = notes.get(request);
      if (note === undefined) return;
      if (principal !== undefined && callerOf !== undefined) note.caller = callerOf(principal);
      if (status >= 400) Object.assign(note, readError(body));
      if (rejection !== undefined) note.says = rejection.message;
      if (rejection !== undefined && rejection.details.length > 0) note.details = rejection.details;
    },
  });

  return (request, response) => {
    const { path, queryText } = readTarget(request.url ?? '/');
    if (answersOther?.(request, response)) return;
    const began = performance.now();
    const at = new Date().toISOString();
    // Runtime and OAuth server use this id instead of their own.
    const requestId = readRequestId(request);
    request.headers['x-request-id'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    const operation = mock.operationOf(request);
    prepare?.(request, operation);
    const { faults, journal } = of(request);
    const fault = operation && faults.take(operation.operationId);
    const note: Note = { operation, fault };
    notes.set(request, note);
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : null;
      journal.record({
        at,
        requestId,
        method: request.method ?? '',
        path,
        queryText,
        operationId: operation?.operationId ?? null,
        clientId: note.caller?.clientId,
        accountId: note.caller?.accountId,
        status,
        verdict: judge(note, status, response.writableFinished),
        code: note.code,
        says: note.says,
        details: note.details,
        faultId: fault?.id,
        ms: Math.round((performance.now() - began) * 10) / 10,
      });
    });
    letIn(request, response, () => {
      if (isObserved?.(path)) observeError(response, (body) => Object.assign(note, readError(body ?? errorOnPage)));
      if (fault === undefined || operation === undefined) return mock.listener(request, response);
      meet(fault, operation, request, response).catch((error: unknown) => {
        logger.error({ requestId, err: error }, 'a fault could not be triggered');
        response.destroy();
      });
    });
  };

  async function meet(
    { delayMs, drop, body, status, example }: Fault,
    operation: Operation,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    // Without a client, the operation is not run: it would use quota, or reach a closed store.
    if (delayMs !== undefined && !(await waitWhileThere(response, delayMs, closing))) return dropConnection(response);
    if (drop === 'before') return dropConnection(response);
    if (drop === 'after') dropAnswer(response);
    if (body !== undefined) breakBody(response, body);
    if (status === undefined && example === undefined) return mock.listener(request, response);
    const choice =
      status === undefined
        ? chooseExample(contract, operation, { ...(example !== undefined && { example }) })
        : { code: status, ...(example !== undefined && { example }), dynamic: false };
    await mock.replyAsDocumented(request, response, operation, choice);
  }
}

/** Message for a page: its own text is HTML in the owner's language. */
const errorOnPage = { message: 'the page showed the error to the owner' };

function judge(
  { operation, fault, isPreferred }: Note,
  status: number | null,
  isWhole: boolean,
): JournalEntry['verdict'] {
  const isMeant = fault !== undefined && (fault.drop ?? fault.body ?? fault.status ?? fault.example) !== undefined;
  if (isMeant) return 'fault';
  if (status === null || !isWhole) return 'aborted';
  if (isPreferred) return 'documented';
  if (status >= 500) return 'failed';
  if (status < 400) return 'accepted';
  // The pages between login and callback are not operations. After a wrong password they answer 400.
  return operation === undefined && (status === 404 || status === 405) ? 'unrouted' : 'refused';
}

/**
 * Reads the members of an error body: of the API, or of OAuth (RFC 6749, 5.2). An error may call anything `code` or `details`: only texts,
 * and places with a text, are read.
 */
export function readError(body: unknown): Pick<Note, 'code' | 'says' | 'details'> {
  if (!isObject(body)) return {};
  const { code, error, message, error_description: description, details } = body;
  const says = [message, description, error].find((text) => typeof text === 'string');
  return {
    ...(typeof code === 'string' ? { code } : typeof error === 'string' && { code: error }),
    ...(typeof says === 'string' && { says }),
    ...(Array.isArray(details) && details.every(isDetail) && { details }),
  };
}

function isDetail(detail: unknown): detail is Detail {
  return isObject(detail) && typeof detail.at === 'string' && typeof detail.says === 'string';
}
