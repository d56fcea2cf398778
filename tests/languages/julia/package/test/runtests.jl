using Moments, Test

@testset "Moments" begin
    @test average([1.0, 3.0]) == 2.0
    @test_throws ArgumentError average(Float64[])
    @test summarized(collect(1.0:9.0)).mean == 5.0
    @test centred([1.0 2.0; 3.0 6.0]) == [-1.0 -2.0; 1.0 2.0]
end
