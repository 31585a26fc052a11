import type { Device } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** The zone of a device's clock as it is now: that of its first property. Null without a property, or while the property has none. */
export async function findTimezone(
  { properties }: Pick<Store, 'properties'>,
  { accountId, propertyIds }: Pick<Device, 'accountId' | 'propertyIds'>,
): Promise<string | null> {
  const [first] = propertyIds;
  const [property] = first === undefined ? [] : await properties.findAll(accountId, [first]);
  return property?.timezone ?? null;
}
