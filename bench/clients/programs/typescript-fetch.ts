import {
  AccessCodesApi,
  BridgeJobsApi,
  Configuration,
  DeviceActivityApi,
  DevicesApi,
  GetDevicesExpandEnum,
  ResponseError,
} from './client';

const { BASE_URL = '', TOKEN = '', START = '', END = '' } = process.env;
const configuration = new Configuration({ basePath: BASE_URL, accessToken: `Bearer ${TOKEN}` });

async function main(): Promise<void> {
  const deviceId = 'LK2A00000001';
  const devices = new DevicesApi(configuration);
  const page = await devices.getDevices({ limit: 3, expand: GetDevicesExpandEnum.LinkedDevices });
  console.log(`devices ${page.payload.map(({ deviceName }) => deviceName).join('; ')}`);
  const device = await devices.getDevice({ deviceId });
  console.log(`device ${device.type} ${device.linkedDevices[0]?.deviceId} ${device.pairedAt.getTime() / 1000}`);
  const bridge = await devices.getDevice({ deviceId: 'BR1A00000001' });
  console.log(`bridge ${bridge.deviceName} ${bridge.bridgeId}`);
  const code = await new AccessCodesApi(configuration).createHourlyAlgoPin({
    deviceId,
    createHourlyAlgoPinRequest: { accessName: 'Guest', startDate: new Date(START), endDate: new Date(END) },
  });
  console.log(`code ${code.pin} ${(code.endDate?.getTime() ?? 0) / 1000}`);
  const jobs = new BridgeJobsApi(configuration);
  const created = await jobs.createBridgeProxiedJob({
    deviceId,
    bridgeId: 'BR1A00000001',
    createProxiedJobRequest: {
      jobType: 'CREATE_PIN',
      jobData: { accessName: 'Guest', pin: '246810', pinType: 2 },
    },
  });
  const job = await jobs.getJobStatus({ jobId: created.jobId });
  console.log(`job ${job.jobType} ${job.jobId === created.jobId}`);
  const log = await new DeviceActivityApi(configuration).getDeviceActivity({ deviceId, limit: 3 });
  console.log(`activity ${log.payload.length} ${log.payload.every(({ description }) => description !== '')}`);
  await devices.getDevice({ deviceId: 'none' }).catch(async (error: unknown) => {
    if (!(error instanceof ResponseError)) throw error;
    const body = (await error.response.json()) as { code: string };
    console.log(`error ${error.response.status} ${body.code}`);
  });
}

void main();
