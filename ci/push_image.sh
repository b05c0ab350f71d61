#!/usr/bin/env bash
# Push the images in FOLDER, of all architectures there under one name, as VERSION and as its minor,
# each with its -shell: push_image.sh FOLDER DESTINATION VERSION. DESTINATION is docker://name, or
# oci:folder for a dry run. Prints digest=… and digest-shell=….
set -euo pipefail
folder=$1 destination=$2 version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
buildah() {
  command buildah --storage-driver vfs --root "$work/s" --runroot "$work/r" "$@"
}
for variant in "" -shell; do
  list=kcheck$variant
  buildah manifest create "$list" > /dev/null
  for arch in amd64 arm64; do
    archive=$folder/kcheck-$arch$variant.tar
    [ ! -f "$archive" ] || buildah manifest add "$list" "oci-archive:$archive" > /dev/null
  done
  for tag in "$version" "${version%.*}"; do
    buildah manifest push --quiet --all --format oci --digestfile "$work/digest" \
      "$list" "$destination:$tag$variant" > /dev/null
  done
  echo "digest$variant=$(cat "$work/digest")"
done
