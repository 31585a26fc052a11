import contract from '@lockstep/contract/contract.json' with { type: 'json' };

/** Every scope that a login can have, in the words of the contract. */
export const contractScopes = contract.components.securitySchemes.oauth2.flows.authorizationCode.scopes;

export type ContractScope = keyof typeof contractScopes;

/** What a scope opens to an owner, the gravest first: the order in which the pages show them. Each scope of the contract stands in one group. */
export const scopeGroups = {
  doors: [
    'serviceapi/unlock-bridge-proxied-job',
    'serviceapi/lock-bridge-proxied-job',
    'serviceapi/create-ekey-access',
  ],
  codes: [
    'serviceapi/algopin-permanent',
    'serviceapi/algopin-daily',
    'serviceapi/algopin-hourly',
    'serviceapi/algopin-onetime',
    'serviceapi/algopin-passage',
    'serviceapi/get-master-pin',
    'serviceapi/create-pin-bridge-proxied-job',
    'serviceapi/delete-pin-bridge-proxied-job',
  ],
  devices: [
    'serviceapi/update-device',
    'serviceapi/get-devices',
    'serviceapi/get-properties',
    'serviceapi/get-device-status-bridge-proxied-job',
    'serviceapi/get-battery-level-bridge-proxied-job',
    'serviceapi/get-job-status',
  ],
  activity: [
    'serviceapi/get-device-activity',
    'serviceapi/get-activity-logs-bridge-proxied-job',
    'serviceapi/store-device-activity',
  ],
  person: ['profile', 'openid'],
} as const satisfies Readonly<Record<string, readonly ContractScope[]>>;

/** `others` holds what this table does not know: a client of a later version, or of an operator's own. */
export type ScopeGroup = keyof typeof scopeGroups | 'others';

export function isContractScope(scope: string): scope is ContractScope {
  return Object.hasOwn(contractScopes, scope);
}

/** The groups that have one of these scopes, in the order of the table; none is lost, none comes twice. */
export function groupScopes(scopes: readonly string[]): readonly (readonly [ScopeGroup, readonly string[]])[] {
  const left = new Set(scopes);
  const known = Object.entries(scopeGroups).map(([group, members]): [ScopeGroup, readonly string[]] => [
    group as ScopeGroup,
    members.filter((scope) => left.delete(scope)),
  ]);
  return [...known, ['others', [...left]] as const].filter(([, members]) => members.length > 0);
}
