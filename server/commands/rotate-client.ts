import { type CommandResult, declined, done } from '@lockstep/shell/command-result';
import type { EpochMilliseconds } from '../clock.ts';
import { endOfPrevious, rotateSecret } from '../oauth/client-secrets.ts';
import type { Store } from '../store/store.ts';
import { findClient } from './client.ts';

/**
 * `client rotate`: a new secret, shown now and never again. The old one works for the overlap, so that whoever runs the client can change
 * over; one that an earlier rotation left ends now. Audited, in the same transaction.
 *
 * @param overlapSeconds 0: the old secret ends at once
 * @returns `declined` where somebody else changed the client at this moment: nothing was changed here
 */
export async function rotateClient(
  store: Pick<Store, 'clients'>,
  clientId: string,
  { overlapSeconds, now }: { readonly overlapSeconds: number; readonly now: EpochMilliseconds },
): Promise<CommandResult> {
  const found = await findClient(store, clientId);
  if (found.kind === 'refused') return found;
  const { item: client } = found;
  const nowSeconds = Math.floor(now / 1000);
  const before = JSON.parse(client.metadata);
  const { secret, metadata } = rotateSecret(before, { nowSeconds, overlapSeconds });
  const changed = await store.clients.replaceMetadata(
    { clientId, from: client.metadata, to: JSON.stringify(metadata) },
    {
      at: now,
      // A partner has no account. Its id is no account's (RFC 9068, 5).
      accountId: before.owner_account ?? clientId,
      clientId,
      action: 'rotate_client_secret',
      deviceId: null,
      requestId: null,
    },
  );
  if (!changed)
    return declined(`${clientId} was changed by somebody else at this moment; nothing changed. Run it again.`);
  const until = endOfPrevious(metadata, nowSeconds);
  const ended = endOfPrevious(before, nowSeconds);
  const lines = [
    `Rotated the secret of ${clientId}. The new one, shown this once:`,
    secret,
    until === undefined ? 'The old one has ended.' : `The old one works until ${formatSeconds(until)}.`,
    ...(ended === undefined ? [] : [`The one before that, good until ${formatSeconds(ended)}, has ended now.`]),
    ...(client.disabledAt === null ? [] : ['The client is disabled: neither works until it is enabled.']),
  ];
  return done(lines.join('\n'), {
    clientId,
    secret,
    previousSecretUntil: until === undefined ? null : formatSeconds(until),
    endedSecretUntil: ended === undefined ? null : formatSeconds(ended),
    disabled: client.disabledAt !== null,
  });
}

function formatSeconds(at: number): string {
  return new Date(at * 1000).toISOString();
}
