package schema

import "math"

// severityPenalty is what one issue takes off a score (reference harness 5).
func severityPenalty(s Severity) float64 {
	switch s {
	case SeverityCritical:
		return 35
	case SeverityHigh:
		return 15
	case SeverityMedium:
		return 6
	case SeverityLow:
		return 2
	}
	return 6
}

// OverallScore derives the compatible score of a review: 100 minus a penalty for each issue, from 0 to 100 with two
// decimals. It serves sorting and trends and is never read by a gate (DESIGN 7).
func OverallScore(issues []Issue) float64 { return score(issues, func(Issue) bool { return true }) }

// DimensionScores is OverallScore over the issues of each category; all eight are present. Never read by a gate.
func DimensionScores(issues []Issue) map[Category]float64 {
	m := make(map[Category]float64, len(Categories()))
	for _, c := range Categories() {
		m[c] = score(issues, func(i Issue) bool { return i.Category == c })
	}
	return m
}

// SeverityCounts counts the issues of each severity; all four are present.
func SeverityCounts(issues []Issue) map[Severity]int {
	m := make(map[Severity]int, len(Severities()))
	for _, s := range Severities() {
		m[s] = 0
	}
	for _, i := range issues {
		m[i.Severity]++
	}
	return m
}

func score(issues []Issue, counts func(Issue) bool) float64 {
	v := 100.0
	for _, i := range issues {
		if counts(i) {
			v -= severityPenalty(i.Severity)
		}
	}
	return math.Round(min(max(v, 0), 100)*100) / 100
}
