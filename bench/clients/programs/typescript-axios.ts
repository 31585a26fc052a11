import { isAxiosError } from 'axios';
import {
  AccessCodesApi,
  BridgeJobsApi,
  Configuration,
  DeviceActivityApi,
  DevicesApi,
  GetDevicesExpandEnum,
} from './client';

const { BASE_URL = '', TOKEN = '', START = '', END = '' } = process.env;
const configuration = new Configuration({ basePath: BASE_URL, accessToken: TOKEN });

async function main(): Promise<void> {
  const deviceId = 'LK2A00000001';
  const devices = new DevicesApi(configuration);
  const { data: page } = await devices.getDevices(
    3,
    undefined,
    undefined,
    undefined,
    undefined,
    GetDevicesExpandEnum.LinkedDevices,
  );
  console.log(`devices ${page.payload.map(({ deviceName }) => deviceName).join('; ')}`);
  const { data: device } = await devices.getDevice(deviceId);
  console.log(`device ${device.type} ${device.linkedDevices[0]?.deviceId} ${Date.parse(device.pairedAt) / 1000}`);
  const { data: bridge } = await devices.getDevice('BR1A00000001');
  console.log(`bridge ${bridge.deviceName} ${bridge.bridgeId}`);
  const { data: code } = await new AccessCodesApi(configuration).createHourlyAlgoPin(deviceId, {
    accessName: 'Guest',
    startDate: START,
    endDate: END,
  });
  console.log(`code ${code.pin} ${Date.parse(code.endDate ?? '') / 1000}`);
  const jobs = new BridgeJobsApi(configuration);
  const { data: created } = await jobs.createBridgeProxiedJob(deviceId, 'BR1A00000001', {
    jobType: 'CREATE_PIN',
    jobData: { accessName: 'Guest', pin: '246810', pinType: 2 },
  });
  const { data: job } = await jobs.getJobStatus(created.jobId);
  console.log(`job ${job.jobType} ${job.jobId === created.jobId}`);
  const { data: log } = await new DeviceActivityApi(configuration).getDeviceActivity(
    deviceId,
    undefined,
    undefined,
    undefined,
    3,
  );
  console.log(`activity ${log.payload.length} ${log.payload.every(({ description }) => description !== '')}`);
  await devices.getDevice('none').catch((error: unknown) => {
    if (!isAxiosError(error)) throw error;
    console.log(`error ${error.response?.status} ${error.response?.data.code}`);
  });
}

void main();
