import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import { describe, expect, test } from 'vitest';
import { describeMock } from './describe-mock.ts';

const origin = 'http://127.0.0.1:4010';
const { listExhibits, removeExhibit, getExhibit, addExhibit, sellTicket, getOpeningHours } = museumOperations;

describe('what somebody needs to know who just started a mock', () => {
  test('is its name, and each base path with what lies below it', () => {
    const { title, addresses } = describeMock(origin, museumContract, museumOperations);
    expect(title).toBe('Museum 2.3.0');
    expect(addresses).toEqual([
      { url: `${origin}/museum/v2`, operations: 5 },
      { url: `${origin}/desk`, operations: 1 },
      { url: origin, operations: 1 },
    ]);
  });

  test.each([
    {
      name: 'reads one thing rather than a list',
      given: { listExhibits, removeExhibit, getExhibit },
      want: 'getExhibit',
    },
    { name: 'reads a list where nothing else is read', given: { removeExhibit, listExhibits }, want: 'listExhibits' },
    { name: 'writes where nothing is read', given: { removeExhibit, addExhibit }, want: 'addExhibit' },
  ])('a first line for a shell that $name', ({ given, want }) => {
    expect(describeMock(origin, museumContract, given).samples[0]?.shows).toBe(want);
  });

  test('shows nothing of an authorization server, which has no documented answers', () => {
    const access = { authUrl: `${origin}/museum/v2`, clients: [] };
    const { samples } = describeMock(origin, museumContract, { getExhibit, getOpeningHours, sellTicket }, { access });
    expect(samples.map(({ shows }) => shows).join()).not.toContain('getExhibit');
    expect(samples[0]?.shows).toBe('getOpeningHours');
  });
});
