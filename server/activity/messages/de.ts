import type { MessageKey } from './en.ts';
import type { Messages } from './message.ts';

export const de: Messages<MessageKey> = {
  UNLOCK: ['Entriegelt'],
  'UNLOCK.pin': ['Mit dem Code „{name}“ entriegelt', 'Mit einem Code entriegelt'],
  'UNLOCK.bluetooth': ['Per Bluetooth entriegelt'],
  'UNLOCK.card': ['Mit einer Karte entriegelt'],
  'UNLOCK.button': ['Per Taste entriegelt'],
  'UNLOCK.key': ['Mit dem Schlüssel entriegelt'],
  'UNLOCK.fingerprint': ['Per Fingerabdruck entriegelt'],
  'UNLOCK.bridge': ['Über die Bridge entriegelt'],
  LOCK: ['Verriegelt'],
  'LOCK.bluetooth': ['Per Bluetooth verriegelt'],
  'LOCK.button': ['Per Taste verriegelt'],
  'LOCK.key': ['Mit dem Schlüssel verriegelt'],
  'LOCK.bridge': ['Über die Bridge verriegelt'],
  AUTO_LOCK: ['Automatisch verriegelt'],
  PASSAGE_STARTED: [
    {
      one: 'Mit dem Code „{name}“ für {hours} Stunde offen gehalten',
      other: 'Mit dem Code „{name}“ für {hours} Stunden offen gehalten',
    },
    'Mit dem Code „{name}“ offen gehalten',
    'Mit einem Code offen gehalten',
  ],
  PASSAGE_ENDED: ['Nicht länger offen gehalten'],
  INCORRECT_PIN: ['Falscher Code eingegeben'],
  SECURITY_LOCKOUT: ['Nach falschen Codes gesperrt'],
  BREAK_IN_ATTEMPT: ['Einbruchsversuch'],
  PIN_CREATED: ['Code „{name}“ gespeichert', 'Code gespeichert'],
  PIN_DELETED: ['Code „{name}“ gelöscht', 'Code gelöscht'],
  SETTINGS_CHANGED: ['Einstellungen geändert'],
  TIME_SYNCED: ['Uhr gestellt'],
  LOW_BATTERY: ['Batterie schwach'],
  OTHER: ['Sonstiges Ereignis'],
};
