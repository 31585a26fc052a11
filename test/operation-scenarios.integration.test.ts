import { describe } from 'vitest';
import { describeOperations } from '../server/http/scenarios/fixtures/describe-operations.ts';
import { createMockedService } from './fixtures/create-mocked-service.ts';

// If these fail, the sandbox refuses something else than the service, or does something although it refused.

/** Together they document every status; all operations pass through the same steps, and have the handlers of the service. */
const always = ['createBridgeTargetedJob', 'createDailyAlgoPin', 'getJobStatus'];

describe('in the sandbox', () => describeOperations(createMockedService, always));
