package schema

// Volumes is books/<book>/volumes.json: the volumes of a book with the chapter numbers that each holds.
type Volumes struct {
	Volumes []Volume `json:"volumes"`
}

// Volume is one volume. First and Last are chapter numbers, both inside; a volume that holds none has 0 and 0.
type Volume struct {
	Number int    `json:"volume"`
	Title  string `json:"title"`
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Role   string `json:"narrative_role,omitempty"`
}
