import type { MessageKey } from './en.ts';
import type { Messages } from './message.ts';

export const es: Messages<MessageKey> = {
  UNLOCK: ['Desbloqueado'],
  'UNLOCK.pin': ['Desbloqueado con el código «{name}»', 'Desbloqueado con un código'],
  'UNLOCK.bluetooth': ['Desbloqueado por Bluetooth'],
  'UNLOCK.card': ['Desbloqueado con tarjeta'],
  'UNLOCK.button': ['Desbloqueado con el botón'],
  'UNLOCK.key': ['Desbloqueado con llave'],
  'UNLOCK.fingerprint': ['Desbloqueado con huella dactilar'],
  'UNLOCK.bridge': ['Desbloqueado a través del puente'],
  LOCK: ['Bloqueado'],
  'LOCK.bluetooth': ['Bloqueado por Bluetooth'],
  'LOCK.button': ['Bloqueado con el botón'],
  'LOCK.key': ['Bloqueado con llave'],
  'LOCK.bridge': ['Bloqueado a través del puente'],
  AUTO_LOCK: ['Bloqueado automáticamente'],
  PASSAGE_STARTED: [
    {
      one: 'Abierto durante {hours} hora con el código «{name}»',
      other: 'Abierto durante {hours} horas con el código «{name}»',
    },
    'Apertura prolongada con el código «{name}»',
    'Apertura prolongada con un código',
  ],
  PASSAGE_ENDED: ['Fin de la apertura prolongada'],
  INCORRECT_PIN: ['Código incorrecto introducido'],
  SECURITY_LOCKOUT: ['Teclado bloqueado tras códigos incorrectos'],
  BREAK_IN_ATTEMPT: ['Intento de intrusión'],
  PIN_CREATED: ['Código «{name}» guardado', 'Código guardado'],
  PIN_DELETED: ['Código «{name}» eliminado', 'Código eliminado'],
  SETTINGS_CHANGED: ['Configuración modificada'],
  TIME_SYNCED: ['Reloj ajustado'],
  LOW_BATTERY: ['Batería baja'],
  OTHER: ['Otra actividad'],
};
