// Matte surfaces in the light of the sun, of the sky, and of the lamps of bodies.

#import bevy_pbr::{
    clustered_forward as clusters,
    forward_io::VertexOutput,
    mesh_view_bindings::{clustered_lights, view},
    mesh_view_types::POINT_LIGHT_FLAGS_SPOT_LIGHT_Y_NEGATIVE,
}

struct Matte {
    color: vec4<f32>,
    emissive: vec4<f32>,
    // Towards the sun, and its share of the light.
    sun: vec4<f32>,
    // Columns of the change of texture coordinates.
    picture_axes: vec4<f32>,
    picture_offset: vec2<f32>,
    // Share of the light from everywhere.
    sky: f32,
    has_picture: u32,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> matte: Matte;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var picture: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(2) var picture_sampler: sampler;

// How brightly lamps light a white surface, after the same laws as Bevy's: the inverse square of the distance, to zero at
// the end of their range, and for spot lights a cone with a soft edge.
fn lamps(position: vec3<f32>, normal: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let depth = dot(vec4(view.view_from_world[0].z, view.view_from_world[1].z, view.view_from_world[2].z,
        view.view_from_world[3].z), vec4(position, 1.0));
    let cluster = clusters::view_fragment_cluster_index(pixel, depth, view.clip_from_view[3].w == 1.0);
    let ranges = clusters::unpack_clusterable_object_index_ranges(cluster);
    var light = vec3(0.0);
    for (var at = ranges.first_point_light_index_offset; at < ranges.first_reflection_probe_index_offset; at++) {
        let lamp = &clustered_lights.data[clusters::get_clusterable_object_id(at)];
        let towards = (*lamp).position_radius.xyz - position;
        let square = dot(towards, towards);
        let direction = towards * inverseSqrt(max(square, 1e-8));
        let end = square * (*lamp).color_inverse_square_range.w;
        let fade = saturate(1.0 - end * end);
        var strength = fade * fade * saturate(dot(normal, direction)) / max(square, 1e-4);
        if at >= ranges.first_spot_light_index_offset {
            let across = (*lamp).light_custom_data.xy;
            let along = sqrt(max(0.0, 1.0 - dot(across, across)));
            let is_negative = ((*lamp).flags & POINT_LIGHT_FLAGS_SPOT_LIGHT_Y_NEGATIVE) != 0u;
            let axis = vec3(across.x, select(along, -along, is_negative), across.y);
            let cone = saturate(-dot(axis, direction) * (*lamp).light_custom_data.z + (*lamp).light_custom_data.w);
            strength *= cone * cone;
        }
        light += strength * (*lamp).color_inverse_square_range.rgb;
    }
    // A matte surface gives back a part in π of what it receives.
    return light * view.exposure / 3.14159265;
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    var color = matte.color;
#ifdef VERTEX_COLORS
    color *= in.color;
#endif
#ifdef VERTEX_UVS_A
    if matte.has_picture != 0u {
        let place = mat2x2(matte.picture_axes.xy, matte.picture_axes.zw) * in.uv + matte.picture_offset;
        color *= textureSample(picture, picture_sampler, place);
    }
#endif
    let normal = normalize(select(-in.world_normal, in.world_normal, is_front));
    let sun = matte.sun.w * saturate(dot(normal, matte.sun.xyz));
    let light = vec3(sun + matte.sky) + lamps(in.world_position.xyz, normal, in.position.xy);
    return vec4(color.rgb * light + matte.emissive.rgb, color.a);
}
