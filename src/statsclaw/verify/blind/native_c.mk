# Asks this library the questions of its validation, and compares what it answers.
#
# They were made from the frozen criteria of its specification; all numbers stand in questions.json. A change of the
# library that breaks one of them changes results. It needs make, a C compiler and one for C++20:
#
#     make -C tests/validation check

include package.mk
TREE ?= ../..
BUILD ?=

check:
	$(MAKE) -C "$(TREE)"
	@set -eu; \
	build="$(BUILD)"; \
	if [ -z "$$build" ]; then build=$$(mktemp -d); trap 'rm -rf "$$build"' EXIT; fi; \
	library=$$(find "$(TREE)" -name lib$(PACKAGE).a | head -n 1); \
	libs=$$(sed -n 's/^Libs\.private: *//p' "$(TREE)/$(PACKAGE).pc" 2>/dev/null || true); \
	$(CXX) -std=c++20 -O1 -DSTATSCLAW_C -Drestrict=__restrict -I"$(TREE)/include" -o "$$build/asking" \
	  program/all.cpp "$$library" $$libs -lpthread -lm; \
	"$$build/asking" questions.json "$$build/results"; \
	"$$build/asking" "$$build/results"

.PHONY: check
