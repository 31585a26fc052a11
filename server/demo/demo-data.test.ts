import { describe, expect, test } from 'vitest';
import { demoClients } from './demo-clients.ts';
import { demoAccounts, demoDevices, demoProperties } from './demo-data.ts';

const byId = new Map(demoDevices.map((device) => [device.deviceId, device]));

describe('the demo data', () => {
  test('gives every account, property, device and client an id of its own, in the form that clients expect', () => {
    const objectIds = [...demoDevices, ...demoProperties].map(({ id }) => id);
    const ids = [
      ...objectIds,
      ...demoDevices.map(({ deviceId }) => deviceId),
      ...demoAccounts.map(({ id }) => id),
      ...demoClients.map(({ clientId }) => clientId),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of objectIds) expect(id).toMatch(/^[0-9a-f]{24}$/);
    for (const { deviceId } of demoDevices) expect(deviceId).toMatch(/^(BR|LK|KP)[0-2][ABC]0000000\d$/);
    for (const { id } of demoAccounts) expect(id).toMatch(/^account-/);
    for (const { clientId } of demoClients) expect(clientId).not.toMatch(/^account-/);
  });

  test('links as devices can: five at most, one bridge, both sides agreeing, one account', () => {
    for (const { deviceId, type, linked, accountId } of demoDevices) {
      expect(linked.length).toBeLessThanOrEqual(5);
      expect(linked.map((link) => link.deviceId)).toEqual(linked.map((link) => link.deviceId).toSorted());
      for (const link of linked) {
        const end = byId.get(link.deviceId);
        expect(end).toMatchObject({ type: link.type, accountId });
        expect(type === 'Bridge' ? ['Lock', 'Keypad'] : ['Keypad']).toContain(link.type);
        if (type === 'Bridge') expect(end?.bridgeId).toBe(deviceId);
      }
    }
    for (const { deviceId, bridgeId } of demoDevices)
      if (bridgeId !== null) expect(byId.get(bridgeId)?.linked).toContainEqual(expect.objectContaining({ deviceId }));
  });

  test('gives bridges a state and no battery, everything else a battery and no state', () => {
    for (const { type, online, batteryLevel, supportsAlgoPin } of demoDevices) {
      expect(typeof online).toBe(type === 'Bridge' ? 'boolean' : 'object');
      expect(typeof batteryLevel).toBe(type === 'Bridge' ? 'object' : 'number');
      if (type === 'Bridge') expect(supportsAlgoPin).toBe(false);
    }
  });

  test('was paired before it was last heard of, and that before the start', () => {
    for (const { pairedBefore, syncedBefore } of demoDevices) {
      expect(pairedBefore).toBeGreaterThanOrEqual(syncedBefore);
      expect(syncedBefore).toBeGreaterThan(0);
    }
  });

  test('shows a tie of names, a tie of times, an empty and a double place', () => {
    const twins = (key: (device: (typeof demoDevices)[number]) => unknown) =>
      [...Map.groupBy(demoDevices, key).values()].filter((group) => group.length > 1);
    expect(twins(({ deviceName }) => deviceName)).toHaveLength(1);
    expect(twins(({ pairedBefore }) => pairedBefore)).toHaveLength(1);
    expect(demoDevices.map(({ propertyIds }) => propertyIds.length)).toEqual(expect.arrayContaining([0, 1, 2]));
  });

  test('names in clients and devices only existing records', () => {
    const accounts = demoAccounts.map(({ id }) => id);
    const owners = new Map(demoProperties.map(({ id, accountId }) => [id, accountId]));
    for (const client of demoClients) if (client.kind === 'own') expect(accounts).toContain(client.ownerAccount);
    for (const { accountId, propertyIds } of demoDevices)
      for (const id of propertyIds) expect(owners.get(id)).toBe(accountId);
  });
});
