import { createService } from '../../create-service.ts';
import { describeOperations } from './fixtures/describe-operations.ts';

// If these fail, the service does not answer as its contract says, or does something although it refused.

describeOperations(createService);
