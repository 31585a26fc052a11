import {
  createBridgeProxiedJob,
  createHourlyAlgoPin,
  getDevice,
  getDeviceActivity,
  getDevices,
  getJobStatus,
} from './client';

const { TOKEN = '', START = '', END = '' } = process.env;
const options = { headers: { authorization: `Bearer ${TOKEN}` } };

async function main(): Promise<void> {
  const deviceId = 'LK2A00000001';
  const page = await getDevices({ limit: 3, expand: 'linkedDevices' }, options);
  if (page.status !== 200) throw new Error(String(page.status));
  console.log(`devices ${page.data.payload.map(({ deviceName }) => deviceName).join('; ')}`);
  const device = await getDevice(deviceId, {}, options);
  if (device.status !== 200) throw new Error(String(device.status));
  const { type, linkedDevices, pairedAt } = device.data;
  console.log(`device ${type} ${linkedDevices[0]?.deviceId} ${Date.parse(pairedAt) / 1000}`);
  const bridge = await getDevice('BR1A00000001', {}, options);
  if (bridge.status !== 200) throw new Error(String(bridge.status));
  console.log(`bridge ${bridge.data.deviceName} ${bridge.data.bridgeId}`);
  const code = await createHourlyAlgoPin(deviceId, { accessName: 'Guest', startDate: START, endDate: END }, options);
  if (code.status !== 200) throw new Error(String(code.status));
  console.log(`code ${code.data.pin} ${Date.parse(code.data.endDate ?? '') / 1000}`);
  const data = { accessName: 'Guest', pin: '246810', pinType: 2 } as const;
  const created = await createBridgeProxiedJob(
    deviceId,
    'BR1A00000001',
    { jobType: 'CREATE_PIN', jobData: data },
    options,
  );
  if (created.status !== 200) throw new Error(String(created.status));
  const job = await getJobStatus(created.data.jobId, options);
  if (job.status !== 200) throw new Error(String(job.status));
  console.log(`job ${job.data.jobType} ${job.data.jobId === created.data.jobId}`);
  const log = await getDeviceActivity(deviceId, { limit: 3 }, options);
  if (log.status !== 200) throw new Error(String(log.status));
  console.log(`activity ${log.data.payload.length} ${log.data.payload.every(({ description }) => description !== '')}`);
  const absent = await getDevice('none', {}, options);
  if (absent.status !== 404) throw new Error(String(absent.status));
  console.log(`error ${absent.status} ${absent.data.code}`);
}

void main();
