package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	lock "lock"

	"golang.org/x/oauth2"
)

func must[Value any](value Value, _ any, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	deviceId := "LK2A00000001"
	configuration := lock.NewConfiguration()
	configuration.Servers = lock.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := lock.NewAPIClient(configuration)
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: os.Getenv("TOKEN")})
	ctx := context.WithValue(context.Background(), lock.ContextOAuth2, token)
	page := must(client.DevicesAPI.GetDevices(ctx).Limit(3).Expand("linkedDevices").Execute())
	names := []string{}
	for _, device := range page.Payload {
		names = append(names, device.DeviceName)
	}
	fmt.Println("devices", strings.Join(names, "; "))
	device := must(client.DevicesAPI.GetDevice(ctx, deviceId).Execute())
	fmt.Println("device", device.Type, device.LinkedDevices[0].DeviceId, device.PairedAt.Unix())
	bridge := must(client.DevicesAPI.GetDevice(ctx, "BR1A00000001").Execute())
	reached := "null"
	if bridge.BridgeId.Get() != nil {
		reached = *bridge.BridgeId.Get()
	}
	fmt.Println("bridge", bridge.DeviceName, reached)
	start, _ := time.Parse(time.RFC3339, os.Getenv("START"))
	end, _ := time.Parse(time.RFC3339, os.Getenv("END"))
	request := lock.NewCreateHourlyAlgoPinRequest("Guest")
	request.SetStartDate(start)
	request.SetEndDate(end)
	code := must(client.AccessCodesAPI.CreateHourlyAlgoPin(ctx, deviceId).CreateHourlyAlgoPinRequest(*request).Execute())
	fmt.Println("code", code.Pin, code.EndDate.Get().Unix())
	data := lock.CreateProxiedJobRequestWithCreatePinJobDataJobData{CreatePinJobData: lock.NewCreatePinJobData("Guest", "246810", 2)}
	withData := lock.NewCreateProxiedJobRequestWithCreatePinJobData("CREATE_PIN", data)
	job := lock.CreateProxiedJobRequestWithCreatePinJobDataAsCreateProxiedJobRequest(withData)
	created := must(client.BridgeJobsAPI.CreateBridgeProxiedJob(ctx, deviceId, "BR1A00000001").CreateProxiedJobRequest(job).Execute())
	status := must(client.BridgeJobsAPI.GetJobStatus(ctx, created.JobId).Execute())
	fmt.Println("job", status.JobType, status.JobId == created.JobId)
	log := must(client.DeviceActivityAPI.GetDeviceActivity(ctx, deviceId).Limit(3).Execute())
	described := true
	for _, entry := range log.Payload {
		described = described && entry.Description != ""
	}
	fmt.Println("activity", len(log.Payload), described)
	_, response, err := client.DevicesAPI.GetDevice(ctx, "none").Execute()
	fault := err.(*lock.GenericOpenAPIError).Model().(lock.MessageError)
	fmt.Println("error", response.StatusCode, fault.Code)
}
