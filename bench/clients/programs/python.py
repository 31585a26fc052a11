import json
import os
from datetime import datetime

from lock_client import (
    AccessCodesApi,
    ApiClient,
    ApiException,
    BridgeJobsApi,
    Configuration,
    CreateHourlyAlgoPinRequest,
    CreatePinJobData,
    CreateProxiedJobRequest,
    CreateProxiedJobRequestWithCreatePinJobData,
    CreateProxiedJobRequestWithCreatePinJobDataJobData,
    DeviceActivityApi,
    DevicesApi,
)

device_id = "LK2A00000001"
configuration = Configuration(host=os.environ["BASE_URL"], access_token=os.environ["TOKEN"])
with ApiClient(configuration) as client:
    devices = DevicesApi(client)
    page = devices.get_devices(limit=3, expand="linkedDevices")
    print("devices", "; ".join(device.device_name for device in page.payload))
    device = devices.get_device(device_id)
    print("device", device.type.value, device.linked_devices[0].device_id, int(device.paired_at.timestamp()))
    bridge = devices.get_device("BR1A00000001")
    print("bridge", bridge.device_name, "null" if bridge.bridge_id is None else bridge.bridge_id)
    code = AccessCodesApi(client).create_hourly_algo_pin(
        device_id,
        CreateHourlyAlgoPinRequest(
            accessName="Guest",
            startDate=datetime.fromisoformat(os.environ["START"]),
            endDate=datetime.fromisoformat(os.environ["END"]),
        ),
    )
    print("code", code.pin, int(code.end_date.timestamp()))
    jobs = BridgeJobsApi(client)
    data = CreateProxiedJobRequestWithCreatePinJobDataJobData(
        CreatePinJobData(accessName="Guest", pin="246810", pinType=2)
    )
    created = jobs.create_bridge_proxied_job(
        device_id,
        "BR1A00000001",
        CreateProxiedJobRequest(CreateProxiedJobRequestWithCreatePinJobData(jobType="CREATE_PIN", jobData=data)),
    )
    job = jobs.get_job_status(created.job_id)
    print("job", job.job_type, "true" if job.job_id == created.job_id else "false")
    log = DeviceActivityApi(client).get_device_activity(device_id, limit=3)
    print("activity", len(log.payload), "true" if all(entry.description for entry in log.payload) else "false")
    try:
        devices.get_device("none")
    except ApiException as error:
        print("error", error.status, json.loads(error.body)["code"])
