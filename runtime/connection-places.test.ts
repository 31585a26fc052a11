import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createConnectionPlaces } from './connection-places.ts';

/** The members of a socket that are used. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function open(most: number) {
  let dropped = 0;
  const places = createConnectionPlaces(most, () => {
    dropped += 1;
  });
  const connect = (address: string): FakeSocket => {
    const socket = new FakeSocket(address);
    places.take(socket as unknown as Socket);
    return socket;
  };
  const act = (what: 'begin' | 'end') => (socket: FakeSocket) => places[what](socket as unknown as Socket);
  return { connect, begin: act('begin'), end: act('end'), dropped: () => dropped };
}

const alive = (sockets: readonly FakeSocket[]): number => sockets.filter(({ destroyed }) => !destroyed).length;

describe('places for connections', () => {
  test('are lost by the address that has most of those that wait, the oldest first', () => {
    const { connect, begin, dropped } = open(50);
    const [early, busy] = [connect('192.0.2.2'), connect('192.0.2.1')];
    begin(busy);
    const idle = Array.from({ length: 60 }, () => connect('192.0.2.1'));
    const late = connect('192.0.2.3');
    expect([alive(idle), alive([early, busy, late])]).toEqual([47, 3]);
    expect(idle.slice(0, 13).every(({ destroyed }) => destroyed)).toBe(true);
    expect(dropped()).toBe(13);
  });

  test('are lost by nobody while there is room, nor again once somebody has left', () => {
    const { connect, dropped } = open(3);
    const [first] = [connect('192.0.2.1'), connect('192.0.2.1'), connect('192.0.2.1')];
    first?.destroy();
    connect('192.0.2.1');
    expect(dropped()).toBe(0);
  });

  test.each([
    { name: 'addresses of one network of IPv6', address: (index: number) => `2001:db8::${index.toString(16)}` },
    { name: 'an address in both its forms', address: (index: number) => `${index % 2 ? '' : '::ffff:'}192.0.2.1` },
  ])('count $name as one', ({ address }) => {
    const { connect } = open(10);
    const others = Array.from({ length: 3 }, (_, index) => connect(`198.51.100.${index % 2}`));
    const idle = Array.from({ length: 30 }, (_, index) => connect(address(index)));
    expect([alive(others), alive(idle)]).toEqual([3, 7]);
  });

  test('are kept while a request is under way, the last of several in one go too, and waited for anew after it', () => {
    const { connect, begin, end } = open(2);
    const [one, other] = [connect('192.0.2.1'), connect('192.0.2.1')];
    for (const socket of [one, one, other]) begin(socket);
    end(one);
    expect(connect('192.0.2.2').destroyed).toBe(true);
    end(one);
    expect(connect('192.0.2.2').destroyed).toBe(false);
    expect([one.destroyed, other.destroyed]).toEqual([true, false]);
    // Events of a connection that has lost its place change nothing.
    end(one);
    begin(one);
    expect(connect('192.0.2.3').destroyed).toBe(false);
    expect(other.destroyed).toBe(false);
  });
});
