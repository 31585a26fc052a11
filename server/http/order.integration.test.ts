import { createService } from '../create-service.ts';
import { describeOrder } from './fixtures/describe-order.ts';
import { startApp } from './fixtures/start-app.ts';

// If these fail, the service checks in another order than the contract specifies.

describeOrder({ startApp, createListener: createService });
