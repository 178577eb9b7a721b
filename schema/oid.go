package schema

import (
	"crypto/sha1" //nolint:gosec // git's object names are SHA-1
	"encoding/hex"
	"strconv"
)

// OID is a git object id (SHA-1). Its zero value names no object.
type OID [20]byte

// ParseOID reads 40 lower- or upper-case hexadecimal digits.
func ParseOID(s string) (OID, error) {
	var o OID
	if len(s) != 40 {
		return OID{}, Errorf(CodeInvalid, "%q is not a git object id of 40 hexadecimal digits", s)
	}
	if _, err := hex.Decode(o[:], []byte(s)); err != nil {
		return OID{}, Errorf(CodeInvalid, "%q is not a git object id of 40 hexadecimal digits", s)
	}
	return o, nil
}

// HashBlob gives the id that git gives a blob of these bytes.
func HashBlob(data []byte) OID {
	h := sha1.New() //nolint:gosec // git's object names are SHA-1
	h.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	var o OID
	h.Sum(o[:0])
	return o
}

// IsZero reports the id of no object.
func (o OID) IsZero() bool { return o == OID{} }

// String is the 40 digits.
func (o OID) String() string { return hex.EncodeToString(o[:]) }

// Short is the first 10 digits, for people.
func (o OID) Short() string { return o.String()[:10] }

// MarshalText writes the 40 digits, or nothing for the zero id.
func (o OID) MarshalText() ([]byte, error) {
	if o.IsZero() {
		return nil, nil
	}
	return []byte(o.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (o *OID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*o = OID{}
		return nil
	}
	v, err := ParseOID(string(b))
	if err != nil {
		return err
	}
	*o = v
	return nil
}
