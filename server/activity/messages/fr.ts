import type { MessageKey } from './en.ts';
import type { Messages } from './message.ts';

/** No-break spaces (U+00A0) keep guillemets on the line of their text. */
export const fr: Messages<MessageKey> = {
  UNLOCK: ['Déverrouillé'],
  'UNLOCK.pin': ['Déverrouillé avec le code «\u00a0{name}\u00a0»', 'Déverrouillé avec un code'],
  'UNLOCK.bluetooth': ['Déverrouillé par Bluetooth'],
  'UNLOCK.card': ['Déverrouillé par carte'],
  'UNLOCK.button': ['Déverrouillé par le bouton'],
  'UNLOCK.key': ['Déverrouillé avec la clé'],
  'UNLOCK.fingerprint': ['Déverrouillé par empreinte digitale'],
  'UNLOCK.bridge': ['Déverrouillé par la passerelle'],
  LOCK: ['Verrouillé'],
  'LOCK.bluetooth': ['Verrouillé par Bluetooth'],
  'LOCK.button': ['Verrouillé par le bouton'],
  'LOCK.key': ['Verrouillé avec la clé'],
  'LOCK.bridge': ['Verrouillé par la passerelle'],
  AUTO_LOCK: ['Verrouillé automatiquement'],
  PASSAGE_STARTED: [
    {
      one: 'Maintenu ouvert {hours}\u00a0heure avec le code «\u00a0{name}\u00a0»',
      other: 'Maintenu ouvert {hours}\u00a0heures avec le code «\u00a0{name}\u00a0»',
    },
    'Maintenu ouvert avec le code «\u00a0{name}\u00a0»',
    'Maintenu ouvert avec un code',
  ],
  PASSAGE_ENDED: ['Fin de l’ouverture prolongée'],
  INCORRECT_PIN: ['Code erroné saisi'],
  SECURITY_LOCKOUT: ['Bloqué après des codes erronés'],
  BREAK_IN_ATTEMPT: ['Tentative d’effraction'],
  PIN_CREATED: ['Code «\u00a0{name}\u00a0» enregistré', 'Code enregistré'],
  PIN_DELETED: ['Code «\u00a0{name}\u00a0» supprimé', 'Code supprimé'],
  SETTINGS_CHANGED: ['Réglages modifiés'],
  TIME_SYNCED: ['Horloge réglée'],
  LOW_BATTERY: ['Pile faible'],
  OTHER: ['Autre activité'],
};
