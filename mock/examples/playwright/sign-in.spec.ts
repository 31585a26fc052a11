import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RunningSandbox, startMock } from '@lockstep/mock';
import { expect, test } from '@playwright/test';
import { createPartnerApp } from './partner-app.ts';

let app: Server;
let address: string;
let mock: RunningSandbox;

test.beforeAll(async () => {
  app = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => app.once('listening', resolve));
  address = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const callbackUrl = `${address}/callback`;
  // Without this option the sandbox, like the service, accepts only registered https callbacks.
  mock = await startMock({ loopbackCallbacks: [callbackUrl] });
  const partner = mock.clients.find(({ clientId }) => clientId === 'demo-partner');
  const { authUrl, baseUrl } = mock;
  const clientSecret = partner?.secret ?? '';
  app.on('request', createPartnerApp({ authUrl, baseUrl, clientId: 'demo-partner', clientSecret, callbackUrl }));
});
test.afterAll(async () => {
  await mock.close();
  app.close();
  app.closeAllConnections();
});

test('an owner signs in, agrees, and comes back connected', async ({ page }) => {
  const owner = mock.owners[0];
  await page.goto(address);
  await page.getByRole('link', { name: 'Connect an account' }).click();
  await page.getByLabel('E-mail').fill(owner?.email ?? '');
  await page.getByLabel('Password').fill(owner?.password ?? '');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page.getByRole('heading', { name: 'Connected' })).toBeVisible();
  await expect(page.getByText('Front door (LK2A00000001)')).toBeVisible();
});

test('an owner who does not agree comes back with nothing', async ({ page }) => {
  await page.goto(address);
  await page.getByRole('link', { name: 'Connect an account' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing was connected' })).toBeVisible();
});

test('what fails behind the login is shown, not hidden', async ({ page }) => {
  await mock.control.addFault({ operationId: 'exchangeToken', times: 1, status: 401 });
  const owner = mock.owners[0];
  await page.goto(`${address}/connect`);
  await page.getByLabel('E-mail').fill(owner?.email ?? '');
  await page.getByLabel('Password').fill(owner?.password ?? '');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page.getByRole('heading', { name: /no tokens: 401/ })).toBeVisible();
});
