import {
  createBridgeProxiedJob,
  createHourlyAlgoPin,
  getDevice,
  getDeviceActivity,
  getDevices,
  getJobStatus,
} from './client';
import { client } from './client/client.gen';

const { BASE_URL = '', TOKEN = '', START = '', END = '' } = process.env;
client.setConfig({ baseUrl: BASE_URL, auth: TOKEN });

async function main(): Promise<void> {
  const deviceId = 'LK2A00000001';
  const path = { deviceId };
  const { data: page } = await getDevices({ query: { limit: 3, expand: 'linkedDevices' } });
  console.log(`devices ${page?.payload.map(({ deviceName }) => deviceName).join('; ')}`);
  const { data: device } = await getDevice({ path });
  console.log(
    `device ${device?.type} ${device?.linkedDevices[0]?.deviceId} ${Date.parse(device?.pairedAt ?? '') / 1000}`,
  );
  const { data: bridge } = await getDevice({ path: { deviceId: 'BR1A00000001' } });
  console.log(`bridge ${bridge?.deviceName} ${bridge?.bridgeId}`);
  const { data: code } = await createHourlyAlgoPin({
    path,
    body: { accessName: 'Guest', startDate: START, endDate: END },
  });
  console.log(`code ${code?.pin} ${Date.parse(code?.endDate ?? '') / 1000}`);
  const { data: created } = await createBridgeProxiedJob({
    path: { deviceId, bridgeId: 'BR1A00000001' },
    body: { jobType: 'CREATE_PIN', jobData: { accessName: 'Guest', pin: '246810', pinType: 2 } },
  });
  const { data: job } = await getJobStatus({ path: { jobId: created?.jobId ?? '' } });
  console.log(`job ${job?.jobType} ${job?.jobId === created?.jobId}`);
  const { data: log } = await getDeviceActivity({ path, query: { limit: 3 } });
  console.log(`activity ${log?.payload.length} ${log?.payload.every(({ description }) => description !== '')}`);
  const { error, response } = await getDevice({ path: { deviceId: 'none' } });
  console.log(`error ${response?.status} ${error?.code}`);
}

void main();
