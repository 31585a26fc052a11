import type { Messages } from './message.ts';

/** The source language: every translation has the same keys, alternatives and placeholders. */
export const en = {
  UNLOCK: ['Unlocked'],
  'UNLOCK.pin': ['Unlocked with the code "{name}"', 'Unlocked with a code'],
  'UNLOCK.bluetooth': ['Unlocked by Bluetooth'],
  'UNLOCK.card': ['Unlocked by card'],
  'UNLOCK.button': ['Unlocked by button'],
  'UNLOCK.key': ['Unlocked by key'],
  'UNLOCK.fingerprint': ['Unlocked by fingerprint'],
  'UNLOCK.bridge': ['Unlocked through the bridge'],
  LOCK: ['Locked'],
  'LOCK.bluetooth': ['Locked by Bluetooth'],
  'LOCK.button': ['Locked by button'],
  'LOCK.key': ['Locked by key'],
  'LOCK.bridge': ['Locked through the bridge'],
  AUTO_LOCK: ['Locked automatically'],
  PASSAGE_STARTED: [
    {
      one: 'Kept unlocked for {hours} hour with the code "{name}"',
      other: 'Kept unlocked for {hours} hours with the code "{name}"',
    },
    'Kept unlocked with the code "{name}"',
    'Kept unlocked with a code',
  ],
  PASSAGE_ENDED: ['No longer kept unlocked'],
  INCORRECT_PIN: ['Wrong code entered'],
  SECURITY_LOCKOUT: ['Blocked after wrong codes'],
  BREAK_IN_ATTEMPT: ['Break-in attempt'],
  PIN_CREATED: ['Code "{name}" stored', 'Code stored'],
  PIN_DELETED: ['Code "{name}" deleted', 'Code deleted'],
  SETTINGS_CHANGED: ['Settings changed'],
  TIME_SYNCED: ['Clock set'],
  LOW_BATTERY: ['Battery low'],
  OTHER: ['Other activity'],
} as const satisfies Messages;

export type MessageKey = keyof typeof en;
