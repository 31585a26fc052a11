import createClient from 'openapi-fetch';
import type { paths } from './client';

const { BASE_URL = '', TOKEN = '', START = '', END = '' } = process.env;
const api = createClient<paths>({ baseUrl: BASE_URL, headers: { authorization: `Bearer ${TOKEN}` } });

async function main(): Promise<void> {
  const deviceId = 'LK2A00000001';
  const path = { deviceId };
  const { data: page } = await api.GET('/devices', { params: { query: { limit: 3, expand: 'linkedDevices' } } });
  console.log(`devices ${page?.payload.map(({ deviceName }) => deviceName).join('; ')}`);
  const { data: device } = await api.GET('/devices/{deviceId}', { params: { path } });
  console.log(
    `device ${device?.type} ${device?.linkedDevices[0]?.deviceId} ${Date.parse(device?.pairedAt ?? '') / 1000}`,
  );
  const { data: bridge } = await api.GET('/devices/{deviceId}', { params: { path: { deviceId: 'BR1A00000001' } } });
  console.log(`bridge ${bridge?.deviceName} ${bridge?.bridgeId}`);
  const { data: code } = await api.POST('/devices/{deviceId}/algopin/hourly', {
    params: { path },
    body: { accessName: 'Guest', startDate: START, endDate: END },
  });
  console.log(`code ${code?.pin} ${Date.parse(code?.endDate ?? '') / 1000}`);
  const { data: created } = await api.POST('/devices/{deviceId}/jobs/bridges/{bridgeId}', {
    params: { path: { deviceId, bridgeId: 'BR1A00000001' } },
    body: { jobType: 'CREATE_PIN', jobData: { accessName: 'Guest', pin: '246810', pinType: 2 } },
  });
  const { data: job } = await api.GET('/jobs/{jobId}', { params: { path: { jobId: created?.jobId ?? '' } } });
  console.log(`job ${job?.jobType} ${job?.jobId === created?.jobId}`);
  const { data: log } = await api.GET('/devices/{deviceId}/activity', { params: { path, query: { limit: 3 } } });
  console.log(`activity ${log?.payload.length} ${log?.payload.every(({ description }) => description !== '')}`);
  const { error, response } = await api.GET('/devices/{deviceId}', { params: { path: { deviceId: 'none' } } });
  console.log(`error ${response.status} ${error?.code}`);
}

void main();
