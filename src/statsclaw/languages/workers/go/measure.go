package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// smallHeap is what may stay in use between calls: giving it back takes longer than a call.
const smallHeap = 8 << 20

// resetPeak lets the peak count anew, where the kernel can do that, without what earlier calls left behind.
func resetPeak() float64 {
	counter, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0)
	if err != nil {
		return 0
	}
	defer counter.Close()
	var now runtime.MemStats
	if runtime.ReadMemStats(&now); now.HeapSys-now.HeapReleased > smallHeap {
		debug.FreeOSMemory()
	}
	if _, err = counter.WriteString("5"); err != nil {
		return 0
	}
	return peak()
}

func peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	if _, rest, known := strings.Cut(string(status), "VmHWM:"); known {
		if size, err := strconv.ParseFloat(strings.Fields(rest)[0], 64); err == nil {
			return size * 1024
		}
	}
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Maxrss) * 1024
}
