// Hashes, encodings and conversions between text and bytes.

#include <absl/strings/escaping.h>
#include <openssl/evp.h>

#include "common/eval/scalar_function.h"
#include "common/types/java_text.h"

namespace trellis::eval {
namespace {

Status AppendDigest(const EVP_MD* algorithm, std::string_view bytes, std::string& out) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (algorithm == nullptr ||
      EVP_Digest(bytes.data(), bytes.size(), digest, &size, algorithm, nullptr) != 1) {
    return Status::Query(PinotCode::kQueryExecution,
                         "The digest is not available in this build of OpenSSL");
  }
  out += HexText({reinterpret_cast<const char*>(digest), size});
  return Status::Ok();
}

Status AppendFromBase64(std::string_view text, std::string& out) {
  // absl skips blanks, Java's decoder does not.
  const bool clean = text.find_first_of(" \t\n\v\f\r") == std::string_view::npos;
  if (clean && absl::Base64Unescape(absl::string_view(text.data(), text.size()), &out))
    return Status::Ok();
  return Status::Query(PinotCode::kQueryExecution, "Not Base64: '{}'", text.substr(0, 256));
}

void RegisterDigests(Registry& registry) {
  AddScalar(
      registry, {"md5"},
      {Scalar([](Bytes b, std::string& out) { return AppendDigest(EVP_md5(), b.value, out); })});
  AddScalar(
      registry, {"sha"},
      {Scalar([](Bytes b, std::string& out) { return AppendDigest(EVP_sha1(), b.value, out); })});
  AddScalar(registry, {"sha224"},  // Pinot's name for SHA3-224
            {Scalar([](Bytes b, std::string& out) {
              return AppendDigest(EVP_sha3_224(), b.value, out);
            })});
  AddScalar(
      registry, {"sha256"},
      {Scalar([](Bytes b, std::string& out) { return AppendDigest(EVP_sha256(), b.value, out); })});
  AddScalar(
      registry, {"sha512"},
      {Scalar([](Bytes b, std::string& out) { return AppendDigest(EVP_sha512(), b.value, out); })});
}

}  // namespace

void RegisterBytes(Registry& registry) {
  RegisterDigests(registry);
  AddScalar(registry, {"toutf8"},
            {ScalarAs(DataType::kBytes, [](std::string_view s, std::string& out) { out += s; })});
  AddScalar(registry, {"fromutf8"}, {Scalar([](Bytes b, std::string& out) { out += b.value; })});
  AddScalar(registry, {"tobase64"}, {Scalar([](Bytes b, std::string& out) {
              out += absl::Base64Escape(absl::string_view(b.value.data(), b.value.size()));
            })});
  AddScalar(registry, {"frombase64"},
            {ScalarAs(DataType::kBytes, [](std::string_view s, std::string& out) {
              return AppendFromBase64(s, out);
            })});
  AddScalar(registry, {"bytestohex"},
            {Scalar([](Bytes b, std::string& out) { out += HexText(b.value); })});
  AddScalar(registry, {"hextobytes"},
            {ScalarAs(DataType::kBytes, [](std::string_view hex, std::string& out) -> Status {
              auto bytes = ParseHex(hex);
              if (!bytes)
                return Status::Query(PinotCode::kQueryExecution, "Not hexadecimal: '{}'",
                                     hex.substr(0, 256));
              out += *bytes;
              return Status::Ok();
            })});
}

}  // namespace trellis::eval
