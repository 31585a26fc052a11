import os
from datetime import datetime

from lock_client import AuthenticatedClient
from lock_client.api.access_codes import create_hourly_algo_pin
from lock_client.api.bridge_jobs import create_bridge_proxied_job, get_job_status
from lock_client.api.device_activity import get_device_activity
from lock_client.api.devices import get_device, get_devices
from lock_client.models import (
    CreateHourlyAlgoPinRequest,
    CreatePinJobData,
    CreateProxiedJobRequestWithCreatePinJobData,
    CreateProxiedJobRequestWithCreatePinJobDataJobType,
    GetDevicesExpand,
)

device_id = "LK2A00000001"
client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["TOKEN"])
page = get_devices.sync(client=client, limit=3, expand=GetDevicesExpand.LINKEDDEVICES)
print("devices", "; ".join(device.device_name for device in page.payload))
device = get_device.sync(device_id, client=client)
print("device", device.type_.value, device.linked_devices[0].device_id, int(device.paired_at.timestamp()))
bridge = get_device.sync("BR1A00000001", client=client)
print("bridge", bridge.device_name, "null" if bridge.bridge_id is None else bridge.bridge_id)
code = create_hourly_algo_pin.sync(
    device_id,
    client=client,
    body=CreateHourlyAlgoPinRequest(
        access_name="Guest",
        start_date=datetime.fromisoformat(os.environ["START"]),
        end_date=datetime.fromisoformat(os.environ["END"]),
    ),
)
print("code", code.pin, int(code.end_date.timestamp()))
created = create_bridge_proxied_job.sync(
    device_id,
    "BR1A00000001",
    client=client,
    body=CreateProxiedJobRequestWithCreatePinJobData(
        job_type=CreateProxiedJobRequestWithCreatePinJobDataJobType.CREATE_PIN,
        job_data=CreatePinJobData(access_name="Guest", pin="246810", pin_type=2),
    ),
)
job = get_job_status.sync(created.job_id, client=client)
print("job", job.job_type.value, "true" if job.job_id == created.job_id else "false")
log = get_device_activity.sync(device_id, client=client, limit=3)
print("activity", len(log.payload), "true" if all(entry.description for entry in log.payload) else "false")
absent = get_device.sync_detailed("none", client=client)
print("error", absent.status_code.value, absent.parsed.code.value)
