import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import { describe, expect, test } from 'vitest';
import { createApp } from './create-app.ts';
import { testOptions } from './fixtures/start-app.ts';

type Change = (document: typeof contract) => void;

function changed(change: Change): ContractDocument {
  const document = structuredClone(contract);
  change(document);
  return document;
}

const { getDevice: _, ...withoutDevice } = testOptions().handlers;
const { getDevices } = operations;

const badPattern = changed(({ components: { schemas } }) => {
  schemas.Cursor.pattern = '[';
});
const noSchema = changed(({ components: { schemas } }) => {
  Reflect.deleteProperty(schemas, 'NoJobData');
});
const badAnswer = changed(({ components: { schemas } }) => {
  schemas.DeviceId.pattern = '(';
});
const uncheckedScheme = changed(({ components: { securitySchemes } }) => {
  securitySchemes.oauth2.type = 'openIdConnect';
});

const rejections = [
  {
    name: 'a pattern that does not compile',
    given: { contract: badPattern },
    says: /^getDevices: .*Invalid regular expression/,
  },
  { name: 'a schema that is not there', given: { contract: noSchema }, says: /NoJobData/ },
  {
    name: 'an answer whose schema does not compile',
    given: { contract: badAnswer },
    says: /Invalid regular expression/,
  },
  {
    name: 'a security scheme without a check',
    given: { contract: uncheckedScheme },
    says: 'no check for the security scheme oauth2 of type openIdConnect',
  },
  {
    name: 'an unknown security scheme',
    given: { operations: { ...operations, getDevices: { ...getDevices, security: [{ apiKey: [] }] } } },
    says: 'getDevices: no check for the security scheme apiKey',
  },
  {
    name: 'an operation that asks for no token',
    given: { operations: { ...operations, getDevices: { ...getDevices, security: [] } } },
    says: 'getDevices: security allows requests without credentials',
  },
  {
    name: 'an operation that may be called without a token',
    given: { operations: { ...operations, getDevices: { ...getDevices, security: [...getDevices.security, {}] } } },
    says: 'getDevices: security allows requests without credentials',
  },
  {
    name: 'a value rule that points nowhere',
    given: {
      operations: { ...operations, getDevices: { ...getDevices, extensions: { 'x-by-value': [{ at: '$url' }] } } },
    },
    says: 'x-by-value has a place that no request has: $url',
  },
  {
    name: 'an operation without handler',
    given: { handlers: withoutDevice as never },
    says: 'getDevice: there is no handler',
  },
];

describe('the service does not start with', () => {
  for (const { name, given, says } of rejections) {
    test(name, () => {
      expect(() => createApp({ ...testOptions(), ...given })).toThrow(says);
    });
  }
});
