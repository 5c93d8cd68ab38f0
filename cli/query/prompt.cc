#include "cli/query/prompt.h"

#include <histedit.h>

#include <cstdio>
#include <memory>

#include "common/base/nearest_name.h"

namespace trellis::cli {
namespace {

constexpr int kHistorySizeMax = 1000;

bool g_continued = false;  // libedit's prompt callback takes no argument; one prompt a process

const char* PromptText(EditLine*) { return g_continued ? "      -> " : "trellis> "; }
char* PromptCallback(EditLine* editor) { return const_cast<char*>(PromptText(editor)); }

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

bool IsSetStatement(std::string_view statement) {
  return statement.size() > 4 && EqualsIgnoreCase(statement.substr(0, 3), "set") &&
         (statement[3] == ' ' || statement[3] == '\t' || statement[3] == '\n');
}

bool IsQuit(std::string_view text) {
  if (!text.empty() && text.back() == ';') text.remove_suffix(1);
  text = Trim(text);
  return text == "\\q" || EqualsIgnoreCase(text, "quit") || EqualsIgnoreCase(text, "exit");
}

struct HistoryDeleter {
  void operator()(History* history) const { history_end(history); }
};
struct EditorDeleter {
  void operator()(EditLine* editor) const { el_end(editor); }
};

}  // namespace

bool IsCompleteStatement(std::string_view text) {
  text = Trim(text);
  if (text.empty() || text.back() != ';') return false;
  while (!text.empty()) {
    const size_t end = text.find(';');
    if (end == std::string_view::npos || !IsSetStatement(Trim(text.substr(0, end)))) return true;
    text = Trim(text.substr(end + 1));
  }
  return false;
}

void RunPrompt(const std::string& history_path,
               const std::function<void(const std::string&)>& run) {
  HistEvent event;
  const std::unique_ptr<History, HistoryDeleter> history(history_init());
  const std::unique_ptr<EditLine, EditorDeleter> editor(el_init("trellis", stdin, stdout, stderr));
  if (history == nullptr || editor == nullptr) return;
  ::history(history.get(), &event, H_SETSIZE, kHistorySizeMax);
  ::history(history.get(), &event, H_SETUNIQUE, 1);
  if (!history_path.empty()) ::history(history.get(), &event, H_LOAD, history_path.c_str());
  el_set(editor.get(), EL_PROMPT, PromptCallback);
  el_set(editor.get(), EL_EDITOR, "emacs");
  el_set(editor.get(), EL_HIST, ::history, history.get());
  el_set(editor.get(), EL_SIGNAL, 1);
  el_source(editor.get(), nullptr);

  std::string statement;
  int size = 0;
  while (const char* line = el_gets(editor.get(), &size)) {
    if (size <= 0) break;
    statement.append(line, static_cast<size_t>(size));
    const std::string_view trimmed = Trim(statement);
    if (IsQuit(trimmed)) break;
    g_continued = !trimmed.empty() && !IsCompleteStatement(trimmed);
    if (g_continued) continue;
    if (!trimmed.empty()) {
      ::history(history.get(), &event, H_ENTER, std::string(trimmed).c_str());
      if (!history_path.empty()) ::history(history.get(), &event, H_SAVE, history_path.c_str());
      run(std::string(trimmed));
    }
    statement.clear();
  }
  g_continued = false;
  std::fputc('\n', stdout);
}

}  // namespace trellis::cli
