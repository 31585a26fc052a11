import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, followRef, isObject, readPointer } from '@lockstep/json/json-pointer';
import { bodyLimitBytes } from '@lockstep/runtime/answer-request';
import { describe, expect, test } from 'vitest';

const document: ContractDocument = contract;

describe('the size of a body', () => {
  for (const operation of Object.values<Operation>(operations)) {
    const { operationId, pointer } = operation;
    const responses = readPointer(document, `${pointer}/responses`);
    const tooLarge = followMember(document, isObject(responses) ? responses : {}, '413');
    const media = followMember(document, followMember(document, tooLarge, 'content'), 'application/json');
    for (const example of Object.values(followMember(document, media, 'examples'))) {
      test(`has the limit of the contract for ${operationId}`, () => {
        const message = `The body is larger than ${bodyLimitBytes(operation)} bytes`;
        expect(followRef(document, example).value).toMatchObject({ message });
      });
    }
  }
});
