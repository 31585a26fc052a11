import { describe } from 'vitest';
import { createService } from '../../create-service.ts';
import { describeOperations } from './fixtures/describe-operations.ts';

// If these fail, the service answers otherwise on PostgreSQL than on SQLite. `npm run test:full` runs all tests of answers there.

/** Together they read and write most tables. */
const always = ['createBridgeProxiedJob', 'createDailyAlgoPin', 'getDevices'];

describe('on PostgreSQL', () => describeOperations(createService, always, 'postgres'));
