//go:build !linux

package atomicfile

import "os"

// exchange is for systems that swap two names in one step.
func exchange(*os.Root, string, string) (bool, error) { return false, nil }

// rename is for systems that rename without replacing.
func rename(_ *os.File, _ string, _ *os.File, _ string) (bool, error) { return false, nil }
