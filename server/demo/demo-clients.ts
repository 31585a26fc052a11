import type { OwnClient, PartnerClient } from '../oauth/create-client-metadata.ts';
import { harbourStays, lapsedRentals, meadowLodge } from './demo-data.ts';

/** The OAuth clients of the demo; their secrets come from the key file. */
export const demoClients: readonly (OwnClient | PartnerClient)[] = [
  { kind: 'own', clientId: 'demo-own', name: 'Harbour Stays, every scope', ownerAccount: harbourStays },
  {
    kind: 'partner',
    clientId: 'demo-partner',
    name: 'Example partner',
    redirectUris: ['https://partner.example/callback'],
  },
  {
    kind: 'own',
    clientId: 'demo-readonly',
    name: 'Harbour Stays, reading only',
    ownerAccount: harbourStays,
    scopes: ['serviceapi/get-devices', 'serviceapi/get-device-activity', 'serviceapi/get-job-status'],
  },
  { kind: 'own', clientId: 'meadow-own', name: 'Meadow Lodge, every scope', ownerAccount: meadowLodge },
  { kind: 'own', clientId: 'lapsed-own', name: 'Lapsed Rentals, every scope', ownerAccount: lapsedRentals },
];
