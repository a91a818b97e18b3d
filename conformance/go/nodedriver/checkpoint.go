package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
)

const (
	started   = "PrepareStarted"
	completed = "PrepareCompleted"
)

// checkpoint is what has to be known after the driver, or the machine, was started again.
type checkpoint struct {
	Version int                 `json:"version"`
	Claims  map[types.UID]entry `json:"claims"`
	path    string
}

type entry struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	State     string   `json:"state"`
	Devices   []device `json:"devices"`
}

type device struct {
	Request string `json:"request"`
	Pool    string `json:"pool"`
	Device  string `json:"device"`
	Admin   bool   `json:"admin,omitempty"`
}

func readCheckpoint(path string) (*checkpoint, error) {
	read := &checkpoint{Version: 1, Claims: map[types.UID]entry{}, path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return read, nil
	}
	if err == nil {
		err = json.Unmarshal(text, read)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", path, err)
	}
	return read, nil
}

// save returns when the file is on disk under its name.
func (c *checkpoint) save() error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return replace(c.path, text, true)
}

// replace writes a file so that its name always leads to a whole one; durable: also after a power failure.
func replace(path string, text []byte, durable bool) (err error) {
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err == nil && durable {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil || !durable {
		return err
	}
	return syncFolder(folder)
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
