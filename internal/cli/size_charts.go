package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weir-collect/weir/internal/chart"
	"github.com/weir-collect/weir/internal/cli/screen"
	sizingchart "github.com/weir-collect/weir/internal/sizing/chart"
	"github.com/weir-collect/weir/internal/sizing/report"
)

// sizeCharts are the pictures of a report, by the names of their files. Pages link to them.
var sizeCharts = []struct {
	name string
	draw func(w io.Writer, r report.Report, format chart.Format) error
}{
	{"wait-by-fleet", sizingchart.WaitByFleet},
	{"waits", sizingchart.Waits},
}

// chartFolder makes the folder of charts; an empty name asks for none.
func (a *app) chartFolder(folder string) error {
	if folder == "" {
		return nil
	}
	path := a.world.path(folder)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return usagef("--charts %s is a file: name a folder", screen.Clean(folder))
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return usagef("make the folder for charts: %w", err)
	}
	return nil
}

// writeCharts draws every chart in both formats, and says where they are. A chart that cannot be drawn leaves no file.
func (a *app) writeCharts(folder string, r report.Report) error {
	if folder == "" {
		return nil
	}
	remarks := a.remarks()
	for _, c := range sizeCharts {
		for _, format := range []chart.Format{chart.SVG, chart.PNG} {
			var picture bytes.Buffer
			if err := c.draw(&picture, r, format); err != nil {
				return err
			}
			file := filepath.Join(folder, c.name+"."+string(format))
			if err := os.WriteFile(a.world.path(file), picture.Bytes(), 0o644); err != nil {
				return fmt.Errorf("write a chart: %w", err)
			}
			remarks.Line("wrote %s", screen.Clean(file))
		}
	}
	return nil
}
