import type { MessageKey } from './en.ts';
import type { Messages } from './message.ts';

export const ja: Messages<MessageKey> = {
  UNLOCK: ['解錠'],
  'UNLOCK.pin': ['コード「{name}」で解錠', 'コードで解錠'],
  'UNLOCK.bluetooth': ['Bluetoothで解錠'],
  'UNLOCK.card': ['カードで解錠'],
  'UNLOCK.button': ['ボタンで解錠'],
  'UNLOCK.key': ['鍵で解錠'],
  'UNLOCK.fingerprint': ['指紋で解錠'],
  'UNLOCK.bridge': ['ブリッジ経由で解錠'],
  LOCK: ['施錠'],
  'LOCK.bluetooth': ['Bluetoothで施錠'],
  'LOCK.button': ['ボタンで施錠'],
  'LOCK.key': ['鍵で施錠'],
  'LOCK.bridge': ['ブリッジ経由で施錠'],
  AUTO_LOCK: ['自動で施錠'],
  PASSAGE_STARTED: [
    { other: 'コード「{name}」で{hours}時間の開放を開始' },
    'コード「{name}」で開放を開始',
    'コードで開放を開始',
  ],
  PASSAGE_ENDED: ['開放を終了'],
  INCORRECT_PIN: ['誤ったコードを入力'],
  SECURITY_LOCKOUT: ['誤ったコードが続いたため入力を停止'],
  BREAK_IN_ATTEMPT: ['不正侵入の試み'],
  PIN_CREATED: ['コード「{name}」を保存', 'コードを保存'],
  PIN_DELETED: ['コード「{name}」を削除', 'コードを削除'],
  SETTINGS_CHANGED: ['設定を変更'],
  TIME_SYNCED: ['時計を調整'],
  LOW_BATTERY: ['電池残量が低下'],
  OTHER: ['その他の操作'],
};
