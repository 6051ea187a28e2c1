package telemetry

import "runtime/debug"

// version is set by the linker in a release build:
// -X github.com/weir-collect/weir/internal/telemetry.version=v1.2.3
var version string

// Version is the version of this build of weir: the linker's, else what the go command recorded, else "unknown".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
