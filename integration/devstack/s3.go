package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

const s3Region = "us-east-1"

// gateway is the S3 API over a folder: a bucket is a directory, an object a file.
type gateway struct {
	stop context.CancelFunc
	// done is closed when the gateway has ended; err is why, and may be read from then on.
	done chan struct{}
	err  error
}

// startGateway serves the objects under dataDir. It changes the working directory of the process to the object folder.
func startGateway(o options, p ports) (*gateway, error) {
	root := filepath.Join(o.dataDir, "s3")
	if err := keptFolder(root); err != nil {
		return nil, folderError(o.dataDir, err)
	}
	store, posixOptions, err := metadataStore(o.dataDir)
	if err != nil {
		return nil, folderError(o.dataDir, err)
	}
	backend, err := posix.New(root, store, posixOptions)
	if err != nil {
		return nil, folderError(root, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	g := &gateway{stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(g.done)
		g.err = embedgw.RunVersityGW(ctx, backend, &embedgw.Config{
			RootUserAccess:    o.accessKey,
			RootUserSecret:    o.secretKey,
			Region:            s3Region,
			Ports:             []string{address(p.s3)},
			MaxConnections:    8192,
			MaxRequests:       4096,
			MultipartMaxParts: 10_000,
			KeepAlive:         true,
			// Its request log would go to the stdout that it found when the process began, beside the ready line.
			Quiet: true,
		})
	}()
	return g, nil
}

// failure says why a gateway ended that nobody stopped.
func (g *gateway) failure() error {
	if g.err == nil {
		return errors.New("the S3 gateway stopped by itself")
	}
	return fmt.Errorf("the S3 gateway stopped: %w", g.err)
}

// metadataStore keeps ETags, checksums and user metadata in extended attributes, which appear together with the file they
// describe. On a file system without them it falls back to files beside, and stays there: the two do not mix.
func metadataStore(dataDir string) (meta.MetadataStorer, posix.PosixOpts, error) {
	// The gateway sets the mode of files itself, whatever the process's mask says.
	opts := posix.PosixOpts{Concurrency: 512}
	opts.SetNewDirPerm(ownerOnly)
	opts.SetNewFilePerm(0o600)
	sidecar := filepath.Join(dataDir, "metadata")
	_, err := os.Stat(sidecar)
	if errors.Is(err, fs.ErrNotExist) && supportsAttributes(dataDir) {
		return meta.XattrMeta{}, opts, nil
	}
	if err := keptFolder(sidecar); err != nil {
		return nil, opts, err
	}
	store, err := meta.NewSideCar(sidecar)
	if err != nil {
		return nil, opts, fmt.Errorf("object metadata: %w", err)
	}
	opts.SideCarDir = sidecar
	return store, opts, nil
}

// supportsAttributes tries it: asking a file system for its features is not the same as having room for them.
func supportsAttributes(dataDir string) bool {
	f, err := os.CreateTemp(dataDir, "attributes-*")
	if err != nil {
		return false
	}
	defer func() { _ = os.Remove(f.Name()); _ = f.Close() }()
	return meta.XattrMeta{}.StoreAttribute(f, "", "", "probe", []byte("1")) == nil
}
