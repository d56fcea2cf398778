package probe

// #include <stdio.h>
// static void say(void) { printf("from C"); }
import "C"

func SayNatively() { C.say() }
