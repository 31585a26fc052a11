import java.time.OffsetDateTime
import org.openapitools.client.apis.AccessCodesApi
import org.openapitools.client.apis.DeviceActivityApi
import org.openapitools.client.apis.DevicesApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.CreateHourlyAlgoPinRequest

fun main() {
    val deviceId = "LK2A00000001"
    val base = System.getenv("BASE_URL")
    ApiClient.accessToken = System.getenv("TOKEN")
    val devices = DevicesApi(base)
    val page = devices.getDevices(limit = 3, expand = DevicesApi.ExpandGetDevices.linkedDevices)
    println("devices " + page.payload.joinToString("; ") { it.deviceName })
    val device = devices.getDevice(deviceId)
    println("device ${device.type.value} ${device.linkedDevices[0].deviceId} ${device.pairedAt.toEpochSecond()}")
    val bridge = devices.getDevice("BR1A00000001")
    println("bridge ${bridge.deviceName} ${bridge.bridgeId}")
    val code = AccessCodesApi(base).createHourlyAlgoPin(
        deviceId,
        CreateHourlyAlgoPinRequest(
            accessName = "Guest",
            startDate = OffsetDateTime.parse(System.getenv("START")),
            endDate = OffsetDateTime.parse(System.getenv("END")),
        ),
    )
    println("code ${code.pin} ${code.endDate?.toEpochSecond()}")
    val log = DeviceActivityApi(base).getDeviceActivity(deviceId, limit = 3)
    println("activity ${log.payload.size} ${log.payload.all { it.description.isNotEmpty() }}")
    try {
        devices.getDevice("none")
    } catch (error: ClientException) {
        println("error ${error.statusCode} ${(error.response as ClientError<*>).body.toString().substringAfter("\"code\":\"").substringBefore("\"")}")
    }
}
