# Files that are taken for a model: each is named, with what to do.
show() { printf "$1" >given.onnx; "$check" given.onnx; echo "exit $?" >&2; }
show '\x1f\x8b\x08\x00\x00'
show 'PK\x03\x04\x14\x00'
show 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'
show '\n <!DOCTYPE html>\n<html lang="en">'
show '<HTML><head>'
show '\x1c\x00\x00\x00TFL3\x14\x00\x20\x00\x1c\x00\x18\x00\x14\x00\x10\x00\x0c\x00\x00\x00\x08\x00\x04\x00\x14\x00'
show '\x10\x00\x00\x00\x00\x00\x00\x00{"a":{"dtype":1}'
show '\x00\x10\x00\x00\x00\x00\x00\x00{"a":{"dtype":1}' # the header is longer than the file
show '\x08\x00\x00\x00ORTM\x08\x00\x08\x00'
show '\x89HDF\r\n\x1a\n'
show 'GGUF\x03\x00\x00\x00'
show '7z\xbc\xaf\x27\x1c\x00\x04'
show '<?xml version="1.0"?>\n<net name="m" version="11">'
show '\x80\x02}q\x00'
show '\x80\x02\x8a\nl\xfc\x9cF'
show '\x80\x04\x95\x00'
show 'ftrt\x00\x00'
zip() { show "PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x$(printf %02x ${#1})\0\0\0$1"; }
echo text >member
tar cf given.onnx member
"$check" given.onnx
echo "exit $?" >&2
zip arr_0.npy
zip model/data.pkl
zip metadata.json
zip other.txt
show '\x93NUMPY\x01\x00'
show '\x08\x02\x08\x03\x10\x01\x4a\x00' # TensorProto, sizes one by one
show '\x0a\x02\x02\x03\x10\x01'          # together
show '\x10\x07'                             # none
show '\x08\x01\x12\x0c\x0a\x0a\x12\x04\x0a\x02\x0a\x00\x22\x05serve' # SavedModel
show '\x08\x04\x12\x0a\x0a\x08\x0a\x05image\x1a\x01' # Core ML
show '\x0a\x12\x0a\x01x\x12\x0bPlaceholder\x2a\x00'    # GraphDef
show '1,2,3\n4,5,6\n'
show 'a;b\n1;2.5\n'
show 'a, b\nc, d\n'
mkdir saved package
touch saved/saved_model.pb package/Manifest.json
for folder in saved package .; do "$check" $folder; echo "exit $?" >&2; done
# And the same in the place of a tensor.
echo '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x, seq(float[2]) s) => (y) { y = Neg (x) }' >model.onnxtxt
give() { printf "$1" >given; "$run" model.onnxtxt --input "${2-x}=given"; echo "exit $?" >&2; }
give ''
give '\x93NU'
give '\x93NUMPY'
give '1,2\n3,4\n'
give 'PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x09\0\0\0arr_0.npy'
give '\x08\x08\x12\x04made\x3a\x00' # a model
give '\x08\x08\x12\x04made\x3a\x00' s
give '\x89HDF\r\n\x1a\n'
# Tensors that have such letters by chance.
echo '<ir_version: 8, opset_import: ["" : 17]> g (string x) => (y) { y = Identity (x) }' >model.onnxtxt
give '\x10\x08\x42\x04ORTM\x32\x01a'
