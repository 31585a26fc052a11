// Random stories: changes of one object in an order and with values that no other story has, each followed by a read.
import { createRandom, type Random } from '@lockstep/values/random';
import type { RunContext } from '../checks/check.ts';
import { conditional } from '../checks/conditional.ts';
import { failedWriteLeftTrace } from '../checks/side-effects.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import type { DataTools } from '../data/value-candidates.ts';
import type { Draft } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import type { Permissions } from '../plan/permissions.ts';
import { ofChanges } from './lifecycle.ts';
import { membersFor, withEdgeValues, withOtherValues, wrongContents } from './other-values.ts';
import type { OperationProbes } from './probe.ts';
import { draftAbout } from './request-objects.ts';
import { beginStory, type Own, type Resource, resourcesOf, storyProbe, type Teller } from './story.ts';

const most = { stories: 3, changes: 6, values: 10 } as const;

/** After all other probes: the fixed stories find most faults with fewer requests. */
const worth = 1;

export function planRandomStories(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return resourcesOf(contract, operations, permissions)
    .filter(({ read, changes }) => read !== undefined && changes.length > 0)
    .map((resource) => ({
      operation: resource.create,
      probes: Array.from({ length: most.stories }, (_, number) => {
        const checks = [failedWriteLeftTrace, conditional, ...ofChanges(resource)];
        return storyProbe(`random story ${number + 1}`, checks, resource.create.pointer, {
          ...{ worth, mostRequests: 6 + 2 * (most.changes + 1) },
          tell: (teller) => tellChanges(teller, resource, number),
        });
      }),
    }));
}

/** Both objects of a story get the same changes with other values. */
async function tellChanges(teller: Teller, resource: Resource, number: number): Promise<string | undefined> {
  const { bench, context, turn, step } = teller;
  const changes = resource.changes.filter(bench.isSent);
  if (changes.length === 0) return 'no change of the object may be sent';
  const object = await beginStory(teller, resource, 2 + 2 * number);
  if (typeof object === 'string') return object;
  const { read } = object;
  const random = createRandom(toolsFor(context, resource.create, 'story', 20 + number).seed);
  const rejectedAt = 1 + random(most.changes);
  for (let count = 1; count <= most.changes; count += 1) {
    const change = changes[random(changes.length)];
    const accepted = change && draftAbout(context, change, object.values);
    if (change === undefined || accepted === undefined) continue;
    const tools = toolsFor(context, change, 'story', 20 + most.changes * number + count);
    if (count === rejectedAt) {
      const [wrong] = wrongContents(context, tools, accepted, { turn, most: 1 });
      if ((await step(wrong, 'rejected change', { polarity: 'invalid' })) !== undefined)
        await step(read, 'read after rejected');
    }
    await step(
      drawChange(context, tools, { accepted, change, ...object }, random, {
        turn,
        index: most.changes * number + count,
      }),
      `change ${count} by ${change.method}`,
    );
    await step(read, `read after change ${count}`);
  }
  await bench.undo(object.created);
  return undefined;
}

interface Changing extends Own {
  readonly change: Operation;
  readonly accepted: Draft;
}

/** A PUT of all members of the object, or a PATCH of some. */
function drawChange(
  context: RunContext,
  tools: DataTools,
  { change, accepted, created }: Changing,
  random: Random,
  { turn, index }: { readonly turn: 0 | 1; readonly index: number },
): Draft {
  const { body } = accepted;
  const known = Object.entries(membersFor(context, change, created));
  const chosen = change.method === 'put' ? known : known.filter(() => random(2) === 0);
  const values = random(most.values) + turn;
  if (body === undefined || !isObject(body.value)) return accepted;
  const value = { ...(change.method === 'put' && body.value), ...Object.fromEntries(chosen) };
  const { schema } = body.content;
  const isValid = schema === undefined || context.judge.accepts(schema, 'request', value);
  const whole = isValid && Object.keys(value).length > 0 ? { ...accepted, body: { ...body, value } } : accepted;
  const other = withOtherValues(context, tools, whole, values);
  return random(2) === 0 ? other : withEdgeValues(context, tools, other, { random, index });
}
