import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.OffsetDateTime;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccessCodesApi;
import org.openapitools.client.api.BridgeJobsApi;
import org.openapitools.client.api.DeviceActivityApi;
import org.openapitools.client.api.DevicesApi;
import org.openapitools.client.model.ActivityPage;
import org.openapitools.client.model.AlgoPin;
import org.openapitools.client.model.CreateHourlyAlgoPinRequest;
import org.openapitools.client.model.CreatePinJobData;
import org.openapitools.client.model.CreateProxiedJobRequest;
import org.openapitools.client.model.CreateProxiedJobRequestWithCreatePinJobData;
import org.openapitools.client.model.CreateProxiedJobRequestWithCreatePinJobDataJobData;
import org.openapitools.client.model.DeviceDetails;
import org.openapitools.client.model.DevicePage;
import org.openapitools.client.model.Job;
import org.openapitools.client.model.JobCreated;

public class Main {
  public static void main(String[] args) throws Exception {
    String deviceId = "LK2A00000001";
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("BASE_URL"));
    client.setAccessToken(System.getenv("TOKEN"));
    DevicesApi devices = new DevicesApi(client);
    DevicePage page = devices.getDevices(3, null, null, null, null, "linkedDevices");
    System.out.println(
        "devices " + page.getPayload().stream().map(device -> device.getDeviceName()).collect(Collectors.joining("; ")));
    DeviceDetails device = devices.getDevice(deviceId, null, null, null);
    System.out.println(
        "device " + device.getType() + " " + device.getLinkedDevices().get(0).getDeviceId() + " "
            + device.getPairedAt().toEpochSecond());
    DeviceDetails bridge = devices.getDevice("BR1A00000001", null, null, null);
    System.out.println("bridge " + bridge.getDeviceName() + " " + bridge.getBridgeId());
    AlgoPin code = new AccessCodesApi(client).createHourlyAlgoPin(
        deviceId,
        new CreateHourlyAlgoPinRequest()
            .accessName("Guest")
            .startDate(OffsetDateTime.parse(System.getenv("START")))
            .endDate(OffsetDateTime.parse(System.getenv("END"))));
    System.out.println("code " + code.getPin() + " " + code.getEndDate().toEpochSecond());
    CreatePinJobData data = new CreatePinJobData().accessName("Guest").pin("246810").pinType(2);
    CreateProxiedJobRequestWithCreatePinJobData withData = new CreateProxiedJobRequestWithCreatePinJobData()
        .jobType(CreateProxiedJobRequestWithCreatePinJobData.JobTypeEnum.CREATE_PIN)
        .jobData(new CreateProxiedJobRequestWithCreatePinJobDataJobData(data));
    BridgeJobsApi jobs = new BridgeJobsApi(client);
    JobCreated created =
        jobs.createBridgeProxiedJob(deviceId, "BR1A00000001", new CreateProxiedJobRequest(withData), null);
    Job job = jobs.getJobStatus(created.getJobId());
    System.out.println("job " + job.getJobType() + " " + job.getJobId().equals(created.getJobId()));
    ActivityPage log = new DeviceActivityApi(client).getDeviceActivity(deviceId, null, null, null, 3, null, null);
    System.out.println(
        "activity " + log.getPayload().size() + " "
            + log.getPayload().stream().allMatch(entry -> !entry.getDescription().isEmpty()));
    try {
      devices.getDevice("none", null, null, null);
    } catch (ApiException error) {
      JsonObject body = JsonParser.parseString(error.getResponseBody()).getAsJsonObject();
      System.out.println("error " + error.getCode() + " " + body.get("code").getAsString());
    }
  }
}
