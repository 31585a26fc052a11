import { throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { type RunningListener, startListening } from '@lockstep/runtime/start-listening';
import type { DemoOwners } from '@lockstep/server/demo/demo-owners';
import type { DemoClients } from '@lockstep/server/demo/seed-demo';
import { readOrCreateKeyFile } from '@lockstep/server/key-file';
import type { Keys } from '@lockstep/server/keys';
import type { CreatedSandbox } from './create-sandbox.ts';
import type { Sandbox } from './sandbox.ts';
import { createSandboxWorlds, type SandboxWorldsOptions } from './sandbox-worlds.ts';

export type StartOptions = Omit<SandboxWorldsOptions, 'keys' | 'origin'> & {
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
  /** Address that clients use, if it differs from the address on which the sandbox listens. Tokens are valid only for this address. */
  readonly publicOrigin?: string | undefined;
  /** Cancels the start. */
  readonly stopping?: AbortSignal | undefined;
} & (
    | { readonly keys: Keys }
    /** Path of the key file. It is created if missing, so that every start prints the same secrets and passwords. */
    | { readonly keyFile: string }
  );

export interface StartedSandbox extends RunningListener {
  /** Clients of the demo, and of accounts that the present scenario adds. */
  readonly clients: DemoClients;
  readonly owners: DemoOwners;
  readonly sandbox: Sandbox;
}

/** Time for pending answers when the sandbox stops. They take milliseconds; only a stalled client needs longer. */
const drainMs = 500;

/**
 * Starts the sandbox on its own port: every operation, with tokens of a real OAuth server for the demo's clients.
 *
 * @throws KeyFileFault; ScenarioFault; Error with `code: 'EADDRINUSE'` if the port is in use; the reason of `stopping`. Nothing is left open
 */
export async function startSandbox({
  port,
  host,
  publicOrigin,
  stopping,
  ...options
}: StartOptions): Promise<StartedSandbox> {
  const keys = 'keys' in options ? options.keys : await readOrCreateKeyFile(options.keyFile);
  await throwIfStopping(stopping);
  const { promise: made, resolve } = Promise.withResolvers<CreatedSandbox | undefined>();
  try {
    const { origin, underWay, close } = await startListening(
      { port, host, limits: { drainMs }, stopping },
      async (listeningAt) => {
        const created = await createSandboxWorlds({ ...options, keys, origin: publicOrigin ?? listeningAt });
        resolve(created);
        return created.listener;
      },
    );
    const running = await made;
    if (running === undefined) throw new Error('the sandbox listens, but was not created');
    return {
      origin: publicOrigin ?? origin,
      get clients() {
        return running.clients();
      },
      owners: running.owners,
      sandbox: running.sandbox,
      underWay,
      close: async () => {
        running.endWaits();
        const closed = await close();
        await running.close();
        return closed;
      },
    };
  } catch (error) {
    resolve(undefined);
    await (await made)?.close();
    throw error;
  }
}
