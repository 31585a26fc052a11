import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import type { DemoOwners } from '@lockstep/server/demo/demo-owners';
import type { DemoClients } from '@lockstep/server/demo/seed-demo';
import { readOrCreateKeyFile } from '@lockstep/server/key-file';
import type { Keys } from '@lockstep/server/keys';
import type { Logger } from 'pino';
import { type RunningMock, startMock } from '../start-mock.ts';
import { createMockOAuth, type MockOAuth } from './oauth.ts';

type DemoMockOptions = {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Address that clients use, where it is another than the one listened on: tokens are good under it alone. */
  readonly publicOrigin?: string | undefined;
  readonly logger: Logger;
  /** http addresses of this machine that partners may be called back at; none when left out. */
  readonly loopbackCallbacks?: readonly string[] | undefined;
  /** Gives the start up. */
  readonly stopping?: AbortSignal | undefined;
} & (
  | { readonly keys: Keys }
  /** Made where there is none, so that every start prints the same secrets and passwords. */
  | { readonly keyFile: string }
);

export interface DemoMock extends RunningMock {
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
}

/**
 * Starts the mock of the service: every operation, behind tokens of a real OAuth server with the demo's clients.
 *
 * @throws KeyFileFault; Error with `code: 'EADDRINUSE'` when the port is taken; the reason of `stopping`; nothing is left open
 */
export async function startDemoMock({
  port,
  host,
  publicOrigin,
  logger,
  loopbackCallbacks,
  stopping,
  ...from
}: DemoMockOptions): Promise<DemoMock> {
  const keys = 'keys' in from ? from.keys : await readOrCreateKeyFile(from.keyFile);
  const made: MockOAuth[] = [];
  const close = () => Promise.all(made.map((oauth) => oauth.close()));
  const serve = async (listeningAt: string): Promise<MockOAuth> => {
    const origin = publicOrigin ?? listeningAt;
    const oauth = await createMockOAuth({ origin, keys, logger, loopbackCallbacks });
    made.push(oauth);
    return oauth;
  };
  try {
    const mock = await startMock({ port, host, logger, contract, operations, serve, stopping });
    return {
      origin: publicOrigin ?? mock.origin,
      clients: made.flatMap(({ clients }) => clients),
      owners: made.flatMap(({ owners }) => owners),
      underWay: mock.underWay,
      close: async () => {
        const closed = await mock.close();
        await close();
        return closed;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
