import { deriveDeviceKey } from '../algopin/derive-device-key.ts';
import type { Clock } from '../clock.ts';
import type { Keys } from '../keys.ts';
import { createSeal } from '../seal.ts';
import type { Device } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { createLock, type Lock } from '../virtual-lock/lock.ts';
import type { Habits } from './habits.ts';

export interface LockNeeds {
  readonly store: Pick<Store, 'lockMemories'>;
  readonly keys: Pick<Keys, 'deviceKey'>;
  readonly clock: Clock;
  /** By deviceId; none for a device without faults. */
  readonly habits?: Readonly<Record<string, Habits>>;
  /** Nonces, `randomBytes` of node:crypto. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The virtual locks of a store: each is created from its stored memory, used, and stored again. */
export interface OpenLocks {
  /**
   * Runs `act` on a lock, one call at a time per device over all processes. `act` may run several times: only the last has an effect. The
   * memory is saved before the promise resolves, so that no result is reported which the lock would not remember after a crash.
   *
   * @param device a lock or keypad as it is now: its zone, key and firmware may have changed since the last use
   * @throws Error when the memory can't be opened or saved: then `act` has no effect
   */
  use<Result>(device: Device, act: (lock: Lock) => Result): Promise<Result>;
}

export function createOpenLocks({ store, keys, clock, habits = {}, randomBytes }: LockNeeds): OpenLocks {
  const seal = createSeal(keys.deviceKey, 'lockstep/lock-memory/v1', randomBytes);
  const turns = new Map<string, Promise<unknown>>();

  /** Another process may use the lock meanwhile: then `act` runs again on the memory that it has left. Sealed bytes contain a nonce, so none come twice. */
  async function useNow<Result>(device: Device, act: (lock: Lock) => Result): Promise<Result> {
    for (;;) {
      const use = await useOnce(device, act);
      if (use.isSaved) return use.result;
    }
  }

  async function useOnce<Result>(device: Device, act: (lock: Lock) => Result) {
    const { deviceId, batteryLevel, pairingGeneration, type } = device;
    const sealed = await store.lockMemories.load(deviceId);
    const content = sealed && seal.open(deviceId, sealed);
    if (sealed !== undefined && content === undefined)
      throw new Error(`the memory of ${deviceId} can't be opened: was it sealed under another key file?`);
    const lock = createLock({
      deviceId,
      key: deriveDeviceKey(keys.deviceKey, deviceId, pairingGeneration),
      timeZone: device.timezone ?? 'UTC',
      clock,
      capabilities: {
        type: type === 'Keypad' ? 'Keypad' : 'Lock',
        algoPin: device.supportsAlgoPin,
        passagePin: device.supportsPassagePin,
        firmware: device.supportsPassagePin ? '2.14.0' : '1.9.3',
        faults: habits[deviceId]?.faults ?? {},
      },
      batteryLevel: batteryLevel ?? 100,
      ...(content === undefined ? {} : { memory: Buffer.from(content).toString() }),
    });
    const result = act(lock);
    const memory = seal.seal(deviceId, Buffer.from(lock.exportMemory()));
    return { result, isSaved: await store.lockMemories.save(deviceId, memory, clock.now(), sealed) };
  }

  return {
    use(device, act) {
      const before = turns.get(device.deviceId) ?? Promise.resolve();
      const turn = before.then(
        () => useNow(device, act),
        () => useNow(device, act),
      );
      turns.set(device.deviceId, turn);
      const leave = () => {
        if (turns.get(device.deviceId) === turn) turns.delete(device.deviceId);
      };
      turn.then(leave, leave);
      return turn;
    },
  };
}
