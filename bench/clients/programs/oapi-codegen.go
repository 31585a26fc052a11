package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"program/lock"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	deviceId := "LK2A00000001"
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client := must(lock.NewClientWithResponses(os.Getenv("BASE_URL"), lock.WithRequestEditorFn(authorize)))
	limit := 3
	expand := lock.GetDevicesParamsExpand("linkedDevices")
	page := must(client.GetDevicesWithResponse(ctx, &lock.GetDevicesParams{Limit: &limit, Expand: &expand})).JSON200
	names := []string{}
	for _, device := range page.Payload {
		names = append(names, device.DeviceName)
	}
	fmt.Println("devices", strings.Join(names, "; "))
	device := must(client.GetDeviceWithResponse(ctx, deviceId, nil)).JSON200
	fmt.Println("device", device.Type, device.LinkedDevices[0].DeviceId, device.PairedAt.Unix())
	bridge := must(client.GetDeviceWithResponse(ctx, "BR1A00000001", nil)).JSON200
	reached := "null"
	if bridge.BridgeId != nil {
		reached = *bridge.BridgeId
	}
	fmt.Println("bridge", bridge.DeviceName, reached)
	start, _ := time.Parse(time.RFC3339, os.Getenv("START"))
	end, _ := time.Parse(time.RFC3339, os.Getenv("END"))
	request := lock.CreateHourlyAlgoPinRequest{AccessName: "Guest", StartDate: &start, EndDate: &end}
	code := must(client.CreateHourlyAlgoPinWithResponse(ctx, deviceId, request)).JSON200
	fmt.Println("code", code.Pin, code.EndDate.Unix())
	var data lock.CreateProxiedJobRequestWithCreatePinJobData_JobData
	if err := data.FromCreatePinJobData(lock.CreatePinJobData{AccessName: "Guest", Pin: "246810", PinType: 2}); err != nil {
		panic(err)
	}
	var job lock.CreateProxiedJobRequest
	if err := job.FromCreateProxiedJobRequestWithCreatePinJobData(lock.CreateProxiedJobRequestWithCreatePinJobData{JobType: "CREATE_PIN", JobData: data}); err != nil {
		panic(err)
	}
	created := must(client.CreateBridgeProxiedJobWithResponse(ctx, deviceId, "BR1A00000001", nil, job)).JSON200
	status := must(client.GetJobStatusWithResponse(ctx, created.JobId)).JSON200
	fmt.Println("job", status.JobType, status.JobId == created.JobId)
	log := must(client.GetDeviceActivityWithResponse(ctx, deviceId, &lock.GetDeviceActivityParams{Limit: &limit})).JSON200
	described := true
	for _, entry := range log.Payload {
		described = described && entry.Description != ""
	}
	fmt.Println("activity", len(log.Payload), described)
	absent := must(client.GetDeviceWithResponse(ctx, "none", nil))
	fmt.Println("error", absent.StatusCode(), absent.JSON404.Code)
}
