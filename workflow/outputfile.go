package workflow

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"git-novel/schema"
)

// outputFile is where a result may be written that a person named a file for: inside the library, but not where chapters
// and records lie (seed harness_v6 4.4; DESIGN 16). A relative name is one of the current folder, or of the library when
// that folder lies outside it. ours tells one of our own earlier results, which may be replaced; any other file that is
// there is the author's.
func (s *Session) outputFile(name string, ours func([]byte) bool) (string, error) {
	rel, ok := s.inLibrary(name)
	if !filepath.IsAbs(name) {
		if rel, ok = s.inLibrary(filepath.Join(s.o.Dir, name)); !ok {
			rel, ok = s.inLibrary(filepath.Join(s.lib.Root(), name))
		}
	}
	if !ok {
		return "", schema.Errorf(schema.CodeInvalid, "%s lies outside the library", name).
			WithHint("name a file inside %s", s.lib.Root())
	}
	first, _, _ := strings.Cut(rel, "/")
	taken := strings.EqualFold(first, schema.NovelsDir) || strings.EqualFold(first, schema.DataDir) && !isTemp(rel)
	for part := range strings.SplitSeq(rel, "/") {
		taken = taken || strings.EqualFold(part, ".git")
	}
	if taken {
		return "", schema.Errorf(schema.CodeInvalid, "%s is a place for chapters and records", rel).
			WithHint("name another folder of the library, or one below %s", schema.TmpDir)
	}
	data, err := s.lib.ReadFile(rel)
	switch {
	case schema.CodeOf(err) == schema.CodeNotFound:
		return rel, nil
	case err != nil:
		return "", err
	case !ours(data):
		return "", schema.Errorf(schema.CodeConflict, "%s is there already and holds something else", rel).
			WithHint("name another file; what lies there is left alone")
	}
	return rel, nil
}

// inLibrary turns an absolute path into one of the library, slash separated. The library may have been named through a
// link.
func (s *Session) inLibrary(name string) (string, bool) {
	roots := []string{s.lib.Root()}
	if resolved, err := filepath.EvalSymlinks(s.lib.Root()); err == nil {
		roots = append(roots, resolved)
	}
	names := []string{name}
	// The file need not be there yet, nor its folders: the part that is there may go through a link.
	for dir, rest := filepath.Dir(name), filepath.Base(name); ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			names = append(names, filepath.Join(resolved, rest))
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, root := range roots {
		for _, n := range names {
			if rel, err := filepath.Rel(root, n); err == nil && filepath.IsLocal(rel) && rel != "." {
				return filepath.ToSlash(rel), true
			}
		}
	}
	return "", false
}

// isTemp reports a path of the work area, which git ignores.
func isTemp(rel string) bool { return strings.HasPrefix(rel, schema.TmpDir+"/") }

// isReport tells a review report of ours.
func isReport(data []byte) bool {
	return strings.HasPrefix(string(data), "# 审查报告：") || len(strings.TrimSpace(string(data))) == 0
}

// isMetrics tells a metrics file of ours, or of the older tool.
func isMetrics(data []byte) bool {
	var v map[string]json.RawMessage
	return len(strings.TrimSpace(string(data))) == 0 || json.Unmarshal(data, &v) == nil && v["overall_score"] != nil
}
