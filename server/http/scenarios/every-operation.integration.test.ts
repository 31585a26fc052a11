import { createService } from '../../create-service.ts';
import { describeOperations } from './fixtures/describe-operations.ts';

// If these fail, the service does not answer as its contract specifies, or changes something although it rejected the request.

describeOperations(createService);
