package objectstore

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/weir-collect/weir/collection"
)

// generationKey is the user metadata in which a write-once object carries its generation.
const generationKey = "weir-generation"

// storedDigest is the hex digest of a whole object, or nothing. Multipart uploads have a digest of their parts' digests,
// which says nothing about the content as such.
func storedDigest(checksum *string, kind types.ChecksumType) string {
	if kind == types.ChecksumTypeComposite {
		return ""
	}
	raw, err := base64.StdEncoding.DecodeString(aws.ToString(checksum))
	if err != nil || len(raw) != sha256.Size {
		return ""
	}
	return hex.EncodeToString(raw)
}

// storedGeneration is zero for objects that others have written.
func storedGeneration(metadata map[string]string) int {
	n, err := strconv.Atoi(metadata[generationKey])
	if err != nil || n < 1 {
		return 0
	}
	return n
}

func infoOfHead(key string, out *s3.HeadObjectOutput) collection.ObjectInfo {
	return collection.ObjectInfo{
		Key:          key,
		Size:         aws.ToInt64(out.ContentLength),
		SHA256:       storedDigest(out.ChecksumSHA256, out.ChecksumType),
		ETag:         aws.ToString(out.ETag),
		Generation:   storedGeneration(out.Metadata),
		LastModified: aws.ToTime(out.LastModified),
	}
}

func infoOfGet(key string, out *s3.GetObjectOutput) collection.ObjectInfo {
	return collection.ObjectInfo{
		Key:          key,
		Size:         aws.ToInt64(out.ContentLength),
		SHA256:       storedDigest(out.ChecksumSHA256, out.ChecksumType),
		ETag:         aws.ToString(out.ETag),
		Generation:   storedGeneration(out.Metadata),
		LastModified: aws.ToTime(out.LastModified),
	}
}
